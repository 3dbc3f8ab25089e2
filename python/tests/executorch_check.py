"""Exports programs by ExecuTorch's planner and by memplan's, runs both, and prints a table. `make test-executorch` runs it.

Needs torch, torchvision and executorch (.deps/torch), the runtime's program (.deps/executorch/run), and the command memplan.
Arguments: parts of the names of what to export; without any, all.
"""

from __future__ import annotations

import copy
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import executorch.kernels.quantized  # registers the quantised operators' variants
import torch
import torchvision
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.banked_memory_planning import Bank, BankedGreedy, TargetMemoryMap
from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite
from executorch.exir.passes import MemoryPlanningPass
from torch.export import export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import memplan
from memplan.executorch import Planner, _groups, memory_planning_pass

RUNNER = os.environ.get("EXECUTORCH_RUN", ".deps/executorch/run")
ARCHITECTURES = ["resnet50", "mnasnet1_0", "mobilenet_v3_large", "swin_t", "vit_b_16", "inception_v3", "densenet121", "shufflenet_v2_x1_0"]
IMAGE = (torch.zeros(1, 3, 224, 224),)


class Layer(torch.nn.Module):
    """Attention with caches that it writes to."""

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.register_buffer("k", torch.zeros(length, width))
        self.register_buffer("v", torch.zeros(length, width))
        self.query, self.key, self.value = (torch.nn.Linear(width, width) for _ in range(3))

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.k.index_put_((position,), self.key(x)[0])
        self.v.index_put_((position,), self.value(x)[0])
        return x + torch.softmax(self.query(x) @ self.k.transpose(0, 1), -1) @ self.v


class Decoder(torch.nn.Module):
    def __init__(self, layers: int, length: int, width: int) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(length, width) for _ in range(layers))
        self.embed, self.out = torch.nn.Embedding(50, width), torch.nn.Linear(width, 50)

    def forward(self, token: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        x = self.embed(token)
        for layer in self.layers:
            x = layer(x, position)
        return self.out(x)


class Branches(torch.nn.Module):
    """A network of which one part runs or another."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.wide, self.last = (torch.nn.Conv2d(a, b, 3, padding=1) for a, b in ((3, 8), (8, 8), (8, 4)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(x))
        x = torch.cond(x.sum() > 0, lambda x: torch.relu(self.wide(torch.relu(self.wide(x)))), lambda x: torch.sin(x) + 1, (x,))
        return self.last(torch.tanh(x))


def lowered(model: torch.nn.Module, inputs: Tuple[Any, ...], xnnpack: bool = False, int8: bool = False) -> Any:
    torch.manual_seed(7)
    model = model.eval().requires_grad_(False)
    if int8:
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
        prepared = prepare_pt2e(export(model, inputs).module(), quantizer)
        prepared(*inputs)
        model = convert_pt2e(prepared)
    return to_edge_transform_and_lower(export(model, inputs), partitioner=[XnnpackPartitioner()] if xnnpack else None)


def vision(name: str, **how: bool) -> Callable[[], Any]:
    return lambda: lowered(torchvision.models.get_model(name, weights=None), IMAGE, **how)


TOKEN = (torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long))
# By name: how to lower it, calls in a row, whether its plan can be told from the file, and how else to export it.
CASES: Dict[str, Tuple[Callable[[], Any], int, bool, Dict[str, Any]]] = {name: (vision(name), 1, True, {}) for name in ARCHITECTURES}
CASES |= {
    "mobilenet_v3_large, XNNPACK": (vision("mobilenet_v3_large", xnnpack=True), 1, True, {}),
    "mobilenet_v2, int8": (vision("mobilenet_v2", int8=True), 1, True, {}),
    "mobilenet_v2, XNNPACK int8": (vision("mobilenet_v2", xnnpack=True, int8=True), 1, True, {}),
    "decoder, 8 MiB of caches": (lambda: lowered(Decoder(4, 1024, 256), TOKEN), 12, True, {}),
    "the same, caches written in place": (lambda: lowered(Decoder(4, 1024, 256), TOKEN), 12, True, {"run_reinplace_pass": True}),
    "network with cond": (lambda: lowered(Branches(), (torch.zeros(1, 3, 32, 32),)), 1, False, {}),
}


def exported(edge: Any, planning: MemoryPlanningPass, **more: Any) -> Tuple[bytes, List[int]]:
    program = copy.deepcopy(edge).to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning, **more))
    sizes = program.executorch_program.execution_plan[0].non_const_buffer_sizes
    return program.buffer, list(sizes)[1:]


def outputs(program: bytes, calls: int, folder: str) -> str:
    path = os.path.join(folder, "program.pte")
    with open(path, "wb") as f:
        f.write(program)
    done = subprocess.run([RUNNER], input=f"{path} 0 1 {calls} 0\n", capture_output=True, text=True, check=True)
    return done.stdout.strip()


def verified(program: bytes, folder: str) -> None:
    path = os.path.join(folder, "verified.pte")
    with open(path, "wb") as f:
        f.write(program)
    subprocess.run([os.environ.get("MEMPLAN_PROGRAM", "memplan"), "verify", path], check=True, stdout=subprocess.DEVNULL)


def compare(name: str, folder: str) -> None:
    build, calls, plain, more = CASES[name]
    start = time.process_time()
    edge = build()
    theirs, before = exported(edge, MemoryPlanningPass(), **more)
    planner = memory_planning_pass()
    ours, after = exported(edge, planner, **more)
    plans = planner.memory_planning_algo.algo_list[0].plans
    if plain:
        verified(ours, folder)
    want, got = outputs(theirs, calls, folder), outputs(ours, calls, folder)
    assert want.startswith("ok ") and got == want, (name, want, got)
    optimal = "proven" if all(p.optimal for p in plans) else "open"
    change = f"{100 * (sum(after) - sum(before)) / sum(before):.0f} %" if after != before else ""
    print(f"| {name} | {sum(before):,} | {sum(after):,} | {change} | {optimal} |", flush=True)
    print(f"{name}: {time.process_time() - start:.0f} s", file=sys.stderr)
    assert sum(after) <= sum(before), name


class Measured:
    """An algorithm of the suite; slow is what instructions move to and from memories but the first, of all in bytes."""

    def __init__(self, algorithm: Any) -> None:
        self.algorithm, self.__name__ = algorithm, algorithm.__name__
        self.slow = self.all = self.spilt = 0

    def __call__(self, alignment: int, specs: Any, graph_module: Any, graph_signature: Any, extra_padding: int = 0) -> Any:
        specs = list(specs)
        result = self.algorithm(alignment, specs, graph_module, graph_signature, extra_padding)
        groups = _groups(specs, graph_module, alignment)
        spilt = [g for g in groups if result.spec_dict[g.members[0][0]].mem_id != 1]
        self.slow, self.all, self.spilt = sum(g.uses * g.size for g in spilt), sum(g.uses * g.size for g in groups), len(spilt)
        return result


def fewest(planner: Planner, folder: str) -> bool:
    """Whether no choice of memories moves less, as the command says of the same graph."""
    path = os.path.join(folder, "graph.json")
    with open(path, "w") as f:
        f.write(planner.plans[0]._source.text())
    done = subprocess.run([os.environ.get("MEMPLAN_PROGRAM", "memplan"), "stat", path], capture_output=True, text=True, check=True)
    return "of traffic outside the preferred pools, the fewest within the capacities" in done.stdout


def banks(folder: str) -> None:
    """A network whose tensors do not fit into the fast memory, beside executorch's own planner for banks."""
    edge = vision("mobilenet_v3_large")()
    print("\n| fast memory | planner | tensors in slow | traffic to slow | in fast | in slow |\n|--:|---|--:|--:|--:|--:|", flush=True)
    for fast in (256 << 10, 1 << 20, 2 << 20, 3 << 20, 4 << 20):
        seen, moved = [], []
        ours = Planner({"sram": fast, "dram": None})
        for algorithm in (BankedGreedy(TargetMemoryMap([Bank("sram", fast, 1), Bank("dram", 1 << 30, 2)])), ours):
            measured = Measured(algorithm)
            start = time.process_time()
            program, sizes = exported(edge, MemoryPlanningPass(memory_planning_algo=MemoryPlanningAlgorithmSuite([measured])))
            assert sizes[0] <= fast, (measured.__name__, sizes)
            verified(program, folder)
            seen.append(outputs(program, 1, folder))
            moved.append(measured.slow)
            print(f"| {fast:,} | {measured.__name__} | {measured.spilt} | {measured.slow:,} of {measured.all:,} | {sizes[0]:,} | {sum(sizes[1:]):,} |", flush=True)
            print(f"{measured.__name__}: {time.process_time() - start:.0f} s", file=sys.stderr)
        assert seen[0] == seen[1] and seen[0].startswith("ok "), seen
        assert moved[1] <= moved[0] and fewest(ours, folder), (moved, ours.plans[0])
    try:
        exported(edge, memory_planning_pass(memories={"sram": 100_000}))
    except memplan.Refused:
        pass
    else:
        raise AssertionError("a network was planned into a tenth of what it needs")


def page(folder: str) -> None:
    """The example of docs/executorch.md, and its three commands."""
    text = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "executorch.md").read_text()
    code, commands = text.split("```python\n")[1].split("```")[0], text.split("```sh\n")[1].split("```")[0]
    before, after = (int(n.replace(",", "")) for n in re.findall(r"here ([\d,]+) bytes to ([\d,]+):", text)[0])
    with open(os.path.join(folder, "export.py"), "w") as f:
        f.write(code)
    program = os.path.realpath(os.environ.get("MEMPLAN_PROGRAM") or "memplan")
    paths = os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(program), "/usr/bin", "/bin"])
    modules = os.pathsep.join(map(os.path.realpath, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    done = subprocess.run(["sh", "-ec", commands], cwd=folder, env={**os.environ, "PATH": paths, "PYTHONPATH": modules}, capture_output=True, text=True, check=True)
    assert f"before     {before} bytes\nafter      {after} bytes" in done.stdout, done.stdout


def main(wanted: List[str]) -> None:
    torch.set_grad_enabled(False)
    with tempfile.TemporaryDirectory() as folder:
        print("| program | exporter | memplan | | |\n|---|--:|--:|--:|---|", flush=True)
        for name in CASES:
            if not wanted or any(part in name for part in wanted):
                compare(name, folder)
        if not wanted or "banks" in wanted:
            banks(folder)
        if not wanted or "page" in wanted:
            page(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
