package corpus

import (
	"testing"

	"memplan/model/graph"
)

// TestParameters: the graphs have as many parameters as the published networks,
// where each batch norm is folded into one bias a channel. So their layers have
// the right shapes.
func TestParameters(t *testing.T) {
	for _, want := range []struct {
		name    string
		element int64
		count   int64
	}{
		// torchvision: 25,557,032, of which 53,120 are batch norms', two a channel of a convolution.
		{"resnet50", 4, 25_557_032 - 53_120/2},
		// torchvision: 3,504,872, of which 34,112 are batch norms'.
		{"mobilenetv2", 1, 3_504_872 - 34_112/2},
		// torchvision: 7,978,856, of which 83,648 are batch norms', which come before the
		// convolutions; here each of these has a bias for its 10,240 channels in all.
		{"densenet121", 4, 7_978_856 - 83_648 + 10_240},
		// As often counted for one channel in and two classes: 31,030,658.
		{"unet", 4, 31_030_658},
		// Llama 2 7B: 6,738,415,616.
		{"prefill-32-2048", 2, 6_738_415_616},
		{"decode-32-2048", 2, 6_738_415_616},
	} {
		g, err := Graph(want.name)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			t.Errorf("%s: %v", want.name, err)
		}
		bytes := int64(0)
		for _, x := range g.Tensors {
			if x.Kind == graph.Weight {
				bytes += x.Bytes
			}
		}
		if bytes != want.count*want.element {
			t.Errorf("%s: %d parameters, not %d", want.name, bytes/want.element, want.count)
		}
	}
}
