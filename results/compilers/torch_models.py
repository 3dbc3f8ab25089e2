"""Networks of torchvision, with random weights, and two of our own, exported from PyTorch for ExecuTorch and compiled by TVM: usage
torch_models.py FOLDER, with results/peers and python on PYTHONPATH.

Writes FOLDER/executorch/NAME.pte, programs for the portable kernels with the exporter's own plan, and FOLDER/tvm/NAME.csv, TVM's
storages one behind the other as a plan of the tensors that it put into them.
"""

import csv
import logging
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
import torchvision  # noqa: E402
import tvm_storages  # noqa: E402
from executorch.exir import to_edge_transform_and_lower  # noqa: E402
from torch.export import export  # noqa: E402
from tvm.relax.frontend.torch import from_exported_program  # noqa: E402

NETWORKS = ["squeezenet1_1", "shufflenet_v2_x0_5", "mobilenet_v2", "mobilenet_v3_small", "mnasnet0_5", "resnet18", "regnet_y_400mf",
            "efficientnet_b0", "googlenet", "densenet121"]


class UNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.down = torch.nn.ModuleList(torch.nn.Conv2d(a, b, 3, padding=1) for a, b in ((3, 8), (8, 16), (16, 32)))
        self.up = torch.nn.ModuleList(torch.nn.Conv2d(a, b, 3, padding=1) for a, b in ((64 + 32, 32), (32 + 16, 16), (16 + 8, 8)))
        self.deep = torch.nn.Conv2d(32, 64, 3, padding=1)

    def forward(self, x):
        kept = []
        for conv in self.down:
            x = torch.relu(conv(x))
            kept.append(x)
            x = torch.nn.functional.max_pool2d(x, 2)
        x = torch.relu(self.deep(x))
        for conv, y in zip(self.up, reversed(kept)):
            x = torch.relu(conv(torch.cat([torch.nn.functional.interpolate(x, scale_factor=2.0), y], 1)))
        return x


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in ((128, 384), (128, 128), (128, 512), (512, 128))) for _ in range(4))

    def forward(self, x):
        for qkv, out, wide, narrow in self.layers:
            q, k, v = (y.reshape(1, 64, 4, 32).transpose(1, 2) for y in qkv(torch.nn.functional.layer_norm(x, (128,))).split(128, -1))
            a = torch.softmax(q @ k.transpose(2, 3) / 32**0.5, -1) @ v
            x = x + out(a.transpose(1, 2).reshape(1, 64, 128))
            x = x + narrow(torch.nn.functional.gelu(wide(torch.nn.functional.layer_norm(x, (128,)))))
        return x


def models():
    torch.manual_seed(1)
    image = torch.zeros(1, 3, 128, 128)
    for name in NETWORKS:
        own = {"init_weights": True, "aux_logits": False} if name == "googlenet" else {}
        yield name.replace("_", "-"), getattr(torchvision.models, name)(weights=None, **own), image
    yield "unet", UNet(), torch.zeros(1, 3, 64, 64)
    yield "encoder", Encoder(), torch.zeros(1, 64, 128)


def main(folder):
    folder = pathlib.Path(folder)
    for maker in "executorch", "tvm":
        (folder / maker).mkdir(parents=True, exist_ok=True)
    for name, model, example in models():
        program = export(model.eval(), (example,))
        (folder / "executorch" / f"{name}.pte").write_bytes(to_edge_transform_and_lower(program).to_executorch().buffer)
        (rows, _), = tvm_storages.storages(from_exported_program(program)).values()
        with open(folder / "tvm" / f"{name}.csv", "w", newline="") as f:
            csv.writer(f).writerows([("id", "lower", "upper", "size", "alignment", "offset"), *rows])


if __name__ == "__main__":
    main(sys.argv[1])
