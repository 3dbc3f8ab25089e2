"""Small models in JAX, compiled by XLA for this CPU, and written down for IREE: usage jax_models.py FOLDER

Writes FOLDER/xla/NAME.hlo.pb, what XLA made of each, and FOLDER/stablehlo/NAME.mlir, what it is given. Weights are arguments. Of each
model there is NAME-infer, and NAME-train, the gradient of the mean square of what it computes by its weights.
"""

import os
import pathlib
import shutil
import sys

FOLDER = pathlib.Path(sys.argv[1])
DUMP = FOLDER / "xla-dump"
os.environ["XLA_FLAGS"] = f"--xla_dump_to={DUMP} --xla_dump_hlo_as_proto --xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as np  # noqa: E402
from jax import lax  # noqa: E402

NCHW = ("NCHW", "OIHW", "NCHW")


class Weights(list):
    """Shapes of the weights that a model asks for while it is traced, or the weights themselves, in the same order."""

    def __init__(self, given=None):
        super().__init__()
        self.given = None if given is None else iter(given)

    def __call__(self, *shape):
        self.append(jax.ShapeDtypeStruct(shape, np.float32))
        return np.zeros(shape, np.float32) if self.given is None else next(self.given)


def conv(w, x, width, size=3, stride=1, groups=1):
    kernel = w(width, x.shape[1] // groups, size, size)
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=NCHW, feature_group_count=groups)


def relu(x):
    return np.maximum(x, 0)


def pool(x):
    return lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "SAME")


def dense(w, x, width):
    return x @ w(x.shape[-1], width)


def norm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def mlp(w, x):
    for width in (512, 384, 768, 256, 640, 128, 10):
        x = np.tanh(dense(w, x, width))
    return x


def resnet(w, x):
    x = relu(conv(w, x, 16))
    for width, stride in ((16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1)):
        y = conv(w, relu(conv(w, x, width, stride=stride)), width)
        x = relu(y + (x if x.shape == y.shape else conv(w, x, width, 1, stride)))
    return dense(w, x.mean((2, 3)), 10)


def unet(w, x):
    kept = []
    for width in (8, 16, 32):
        x = relu(conv(w, relu(conv(w, x, width)), width))
        kept.append(x)
        x = pool(x)
    x = relu(conv(w, x, 64))
    for y in reversed(kept):
        x = np.concatenate([np.repeat(np.repeat(x, 2, 2), 2, 3), y], 1)
        x = relu(conv(w, relu(conv(w, x, y.shape[1])), y.shape[1]))
    return conv(w, x, 1, 1)


def inception(w, x):
    x = pool(relu(conv(w, x, 32)))
    for a, b, c, d in ((16, 32, 8, 16), (32, 48, 16, 24), (24, 64, 12, 16), (48, 64, 16, 32)):
        x = np.concatenate([relu(conv(w, x, a, 1)), relu(conv(w, relu(conv(w, x, b // 2, 1)), b)),
                            relu(conv(w, relu(conv(w, x, c // 2, 1)), c, 5)), relu(conv(w, x, d, 1))], 1)
    return dense(w, pool(x).mean((2, 3)), 10)


def densenet(w, x):
    x = relu(conv(w, x, 24))
    for layers in (4, 6, 4):
        for _ in range(layers):
            x = np.concatenate([x, relu(conv(w, relu(conv(w, x, 48, 1)), 12))], 1)
        x = pool(relu(conv(w, x, x.shape[1] // 2, 1)))
    return dense(w, x.mean((2, 3)), 10)


def mobilenet(w, x):
    x = relu(conv(w, x, 16, stride=2))
    for width, stride, times in ((16, 1, 1), (24, 2, 2), (40, 2, 3), (80, 1, 2)):
        for k in range(times):
            y = relu(conv(w, x, 4 * x.shape[1], 1))
            y = relu(conv(w, y, y.shape[1], stride=1 if k else stride, groups=y.shape[1]))
            y = conv(w, y, width, 1)
            x = x + y if x.shape == y.shape else y
    return dense(w, x.mean((2, 3)), 10)


def transformer(w, x):
    for _ in range(4):
        y = norm(x)
        q, k, v = (dense(w, y, 128).reshape(*y.shape[:2], 4, 32) for _ in range(3))
        a = jax.nn.softmax(np.einsum("bihd,bjhd->bhij", q, k) / 32**0.5)
        x = x + dense(w, np.einsum("bhij,bjhd->bihd", a, v).reshape(y.shape), 128)
        x = x + dense(w, jax.nn.gelu(dense(w, norm(x), 512)), 128)
    return x


def mixer(w, x):
    for _ in range(4):
        x = x + np.swapaxes(dense(w, jax.nn.gelu(dense(w, np.swapaxes(norm(x), 1, 2), 128)), 64), 1, 2)
        x = x + dense(w, jax.nn.gelu(dense(w, norm(x), 256)), 128)
    return x


def lstm(w, x):
    at, back = w(x.shape[-1], 512), w(128, 512)

    def step(carry, now):
        h, c = carry
        i, f, g, o = np.split(now @ at + h @ back, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * np.tanh(g)
        return (jax.nn.sigmoid(o) * np.tanh(c), c), jax.nn.sigmoid(o) * np.tanh(c)
    zero = np.zeros((x.shape[0], 128))
    return lax.scan(step, (zero, zero), np.swapaxes(x, 0, 1))[1]


def autoencoder(w, x):
    for width in (16, 32, 64):
        x = relu(conv(w, x, width, stride=2))
    for width in (32, 16, 3):
        x = relu(conv(w, np.repeat(np.repeat(x, 2, 2), 2, 3), width))
    return x


IMAGE, WORDS = (1, 3, 64, 64), (1, 64, 128)
MODELS = {mlp: (64, 256), resnet: IMAGE, unet: IMAGE, inception: IMAGE, densenet: IMAGE, mobilenet: IMAGE, autoencoder: IMAGE,
          transformer: WORDS, mixer: WORDS, lstm: WORDS}


def main():
    for folder in ("xla", "stablehlo"):
        (FOLDER / folder).mkdir(parents=True, exist_ok=True)
    for model, shape in MODELS.items():
        x, weights = jax.ShapeDtypeStruct(shape, np.float32), Weights()
        jax.eval_shape(lambda x: model(weights, x), x)

        def infer(given, x):
            return model(Weights(given), x)

        def train(given, x):
            return jax.grad(lambda g: np.mean(infer(g, x) ** 2))(given)
        for kind in infer, train:
            name = f"{model.__name__}_{kind.__name__}"
            kind.__name__ = name
            lowered = jax.jit(kind).lower(list(weights), x)
            lowered.compile()
            dump, = DUMP.glob(f"*jit_{name}.*after_optimizations.hlo.pb")
            shutil.copy(dump, FOLDER / "xla" / f"{name.replace('_', '-')}.hlo.pb")
            (FOLDER / "stablehlo" / f"{name.replace('_', '-')}.mlir").write_text(lowered.as_text())
    shutil.rmtree(DUMP)


main()
