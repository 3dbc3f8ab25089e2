"""What TVM's planner makes of a model: for each function the tensors with their lives, as memplan's CSV, and TVM's plan of them.

usage: tvm_storages.py FOLDER MODEL.onnx...     apache-tvm, onnx and memplan's package on PYTHONPATH
Writes FOLDER/MODEL.FUNCTION.csv and FOLDER/MODEL.FUNCTION.tvm.csv, the plan: storages lie one behind the other. A tensor that
TVM gives memory of its own is a storage too; what a function returns is left out, since neither plans it.
"""

import csv
import pathlib
import sys

import tvm
from memplan.tvm import ALIGNMENT, _Reading
from tvm import relax


def storages(mod):
    """By function, rows of (id, lower, upper, size, alignment, offset), and the sum of the storages in bytes; by the pipeline
    that TVM has for a CPU, which fuses operators where tvm.compile alone does not."""
    found = {}
    theirs = relax.transform.StaticPlanBlockMemory

    def looked_over():
        def transform(mod, _):
            mod = theirs()(mod)
            for var, function in mod.functions.items():
                if isinstance(function, relax.Function):
                    found[var.name_hint] = _rows(_Reading(function, lambda device: None))
            return mod
        return tvm.transform.module_pass(transform, opt_level=0, name="Storages")

    relax.transform.StaticPlanBlockMemory = looked_over
    try:
        relax.get_default_pipeline(tvm.target.Target("llvm"))(mod)
    finally:
        relax.transform.StaticPlanBlockMemory = theirs
    return found


def _rows(reading):
    own = reading.planned()  # without a storage, and not returned; sets all lives
    starts, total = {}, 0
    for storage, size in reading.storages.items():
        starts[storage] = total
        total += -(-size // ALIGNMENT) * ALIGNMENT
    rows = []
    for tensor in reading.tensors.values():
        if tensor.storage is not None:
            rows.append((tensor.name, tensor.first, tensor.last + 1, tensor.size, ALIGNMENT, starts[tensor.storage] + tensor.offset))
    for tensor in own:
        rows.append((tensor.name, tensor.first, tensor.last + 1, tensor.size, ALIGNMENT, total))
        total += -(-tensor.size // ALIGNMENT) * ALIGNMENT
    return rows, sum(reading.storages.values()) + sum(t.size for t in own)


def main(folder, *models):
    import onnx
    from tvm.relax.frontend.onnx import from_onnx

    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, models):
        for function, (rows, total) in storages(from_onnx(onnx.load(path))).items():
            columns = ("id", "lower", "upper", "size", "alignment", "offset")
            for suffix, count in (("csv", 5), ("tvm.csv", 6)):
                with open(pathlib.Path(folder, f"{path.stem}.{function}.{suffix}"), "w", newline="") as f:
                    csv.writer(f, lineterminator="\n").writerows([columns[:count], *(row[:count] for row in rows)])
            print(f"{path.stem}  {function}  {len(rows)} tensors, storages {total} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
