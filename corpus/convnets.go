package corpus

import "memplan/model/graph"

// resnet50 is ResNet-50 (He et al. 2015; stride in the 3 x 3 convolution) on a
// 224 x 224 image in float32: long chains with one skip at a time, on which the
// planners of the field are optimal. A planner that is not here is broken.
func resnet50() *graph.Graph {
	n := convnet{element: 4}
	x := n.conv("conv1", n.source(224, 3), 7, 64, 2, 1)
	x = n.pool("pool1", x, 56)
	for k, stage := range []struct {
		blocks int
		deep   int64
	}{{3, 64}, {4, 128}, {6, 256}, {3, 512}} {
		for b := range stage.blocks {
			stride := int64(1)
			if k > 0 && b == 0 {
				stride = 2
			}
			x = n.bottleneck(layer(layer("stage", k+1)+".block", b+1), x, stage.deep, stride)
		}
	}
	y := n.dense("classes", n.pool("pool2", x, 1), 1000)
	return n.done(y.value)
}

// bottleneck is a residual block of three convolutions.
func (n *convnet) bottleneck(id string, x image, deep, stride int64) image {
	y := n.conv(id+".reduce", x, 1, deep, 1, 1)
	y = n.conv(id+".middle", y, 3, deep, stride, 1)
	y = n.conv(id+".expand", y, 1, 4*deep, 1, 1)
	if x.deep != y.deep {
		x = n.conv(id+".skip", x, 1, 4*deep, stride, 1)
	}
	return n.add(id+".add", y, x)
}

// mobilenetV2 is MobileNetV2 (Sandler et al. 2018) on a 224 x 224 image in int8,
// as it is deployed on small devices: the wide middle of a block is live while
// the narrow input waits for its sum.
func mobilenetV2() *graph.Graph {
	n := convnet{element: 1}
	x := n.conv("conv1", n.source(224, 3), 3, 32, 2, 1)
	for k, stage := range []struct{ expand, deep, blocks, stride int64 }{
		{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
	} {
		for b := range stage.blocks {
			stride := stage.stride
			if b > 0 {
				stride = 1
			}
			x = n.inverted(layer(layer("stage", k+1)+".block", int(b)+1), x, stage.expand, stage.deep, stride)
		}
	}
	x = n.conv("conv2", x, 1, 1280, 1, 1)
	y := n.dense("classes", n.pool("pool", x, 1), 1000)
	return n.done(y.value)
}

// inverted is an inverted residual block.
func (n *convnet) inverted(id string, x image, expand, deep, stride int64) image {
	y := x
	if expand > 1 {
		y = n.conv(id+".expand", x, 1, x.deep*expand, 1, 1)
	}
	y = n.conv(id+".depthwise", y, 3, y.deep, stride, y.deep)
	y = n.conv(id+".project", y, 1, deep, 1, 1)
	if stride == 1 && x.deep == deep {
		y = n.add(id+".add", y, x)
	}
	return y
}

// densenet121 is DenseNet-121 (Huang et al. 2016) on a 224 x 224 image in
// float32, each layer's channels joined to those before by a concatenation: a
// row of ever larger buffers, each little larger than the one before, which no
// hole is large enough for.
func densenet121() *graph.Graph {
	const growth = 32
	n := convnet{element: 4}
	x := n.pool("pool0", n.conv("conv0", n.source(224, 3), 7, 64, 2, 1), 56)
	for k, layers := range []int{6, 12, 24, 16} {
		block := layer("block", k+1)
		for l := range layers {
			id := layer(block+".layer", l+1)
			y := n.norm(id+".norm1", x)
			y = n.conv(id+".conv1", y, 1, 4*growth, 1, 1)
			y = n.conv(id+".conv2", y, 3, growth, 1, 1)
			x = n.join(id+".join", x, y)
		}
		x = n.norm(block+".norm", x)
		if k < 3 {
			x = n.conv(block+".halve", x, 1, x.deep/2, 1, 1)
			x = n.pool(block+".pool", x, x.side/2)
		}
	}
	y := n.dense("classes", n.pool("pool", x, 1), 1000)
	return n.done(y.value)
}

// norm is a batch norm with its activation, in place where that is safe.
func (n *convnet) norm(id string, x image) image {
	x.value = n.elementwise(id, x.side*x.side*x.deep*n.element, x.value)
	return x
}

// unet is U-Net (Ronneberger et al. 2015, padded) on a 256 x 256 image in
// float32: the skips are the largest buffers and live the longest, nested in one
// another, and each is met again by a buffer of its own size.
func unet() *graph.Graph {
	n := convnet{element: 4}
	x := n.source(256, 1)
	var skips []image
	deep := int64(64)
	for k := range 4 {
		x = n.twice(layer("down", k+1), x, deep)
		skips = append(skips, x)
		x = n.pool(layer("pool", k+1), x, x.side/2)
		deep *= 2
	}
	x = n.twice("bottom", x, deep)
	for k := len(skips) - 1; k >= 0; k-- {
		deep /= 2
		id, skip := layer("up", k+1), skips[k]
		up := n.op(id+".grow", skip.side*skip.side*deep*n.element, (4*x.deep+1)*deep*n.element, x.value)
		x = n.join(id+".join", skip, image{up, skip.side, deep})
		x = n.twice(id, x, deep)
	}
	x = n.conv("classes", x, 1, 2, 1, 1)
	return n.done(x.value)
}

// twice is two 3 x 3 convolutions.
func (n *convnet) twice(id string, x image, deep int64) image {
	x = n.conv(id+".conv1", x, 3, deep, 1, 1)
	return n.conv(id+".conv2", x, 3, deep, 1, 1)
}
