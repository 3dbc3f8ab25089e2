"""Five models, as StableHLO: matrix products in shapes that a planner may lay out badly."""


class Model:
    def __init__(self):
        self.lines, self.args, self.n = [], [], 0

    def arg(self, *shape):
        self.args.append((f"%a{len(self.args)}", shape))
        return self.args[-1]

    def emit(self, text, shape):
        self.n += 1
        self.lines.append(f"  %v{self.n} = {text}")
        return f"%v{self.n}", shape

    def dot(self, x, width):
        w = self.arg(x[1][1], width)
        shape = (x[1][0], width)
        return self.emit(f"stablehlo.dot {x[0]}, {w[0]} : ({of(x)}, {of(w)}) -> {of((0, shape))}", shape)

    def add(self, x, y):
        return self.emit(f"stablehlo.add {x[0]}, {y[0]} : {of(x)}", x[1])

    def tanh(self, x):
        return self.emit(f"stablehlo.tanh {x[0]} : {of(x)}", x[1])

    def concat(self, x, y):
        shape = (x[1][0], x[1][1] + y[1][1])
        return self.emit(f"stablehlo.concatenate {x[0]}, {y[0]}, dim = 1 : ({of(x)}, {of(y)}) -> {of((0, shape))}", shape)

    def text(self, out):
        args = ", ".join(f"{a[0]}: {of(a)}" for a in self.args)
        return "\n".join([f"func.func @main({args}) -> {of(out)} {{", *self.lines, f"  return {out[0]} : {of(out)}", "}", ""])


def of(x):
    return f"tensor<{'x'.join(map(str, x[1]))}xf32>"


def chain(m):  # the sizes go up and down
    x = m.arg(64, 64)
    for width in (96, 32, 160, 64, 96, 32, 160, 64):
        x = m.dot(x, width)
    return x


def branches(m):  # as in an inception block, three times
    x = m.arg(48, 80)
    for a, b, c in ((112, 40, 72), (56, 144, 24), (200, 32, 88)):
        x = m.dot(m.concat(m.dot(m.dot(x, a), b), m.dot(x, c)), 80)
    return x


def skips(m):  # as in a U-Net: what goes down is met again on the way up
    x, kept = m.arg(32, 256), []
    for width in (192, 128, 64):
        x = m.tanh(m.dot(x, width))
        kept.append(x)
        x = m.dot(x, width // 2)
    for k in reversed(kept):
        x = m.dot(m.concat(m.dot(x, k[1][1]), k), k[1][1] + 64)
    return x


def residual(m):  # each block adds to what it began with
    x = m.arg(40, 96)
    for width in (384, 160, 288):
        x = m.add(x, m.dot(m.tanh(m.dot(m.dot(x, width), 48)), 96))
    return x


def fan(m):  # many values, met in another order
    x = m.arg(24, 120)
    kept = [m.dot(x, 40 * k) for k in (1, 7, 2, 6, 3, 5)]
    y = m.dot(kept[1], 32)
    for k in (0, 3, 2, 5, 4):
        y = m.dot(m.concat(y, m.dot(kept[k], 16 * (6 - k))), 32)
    return m.dot(m.dot(y, 400), 8)


ALL = chain, branches, skips, residual, fan
