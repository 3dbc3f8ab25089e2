"""What IREE is about to pack of each model that jax_models.py wrote down: usage iree_modules.py FOLDER, with iree-compile and iree-opt on
the path. Writes FOLDER/iree/NAME.sched.mlir; memplan knows the layout that IREE gives it."""

import pathlib
import subprocess
import sys

TARGET = ["--iree-input-type=stablehlo", "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=generic"]
SCHEDULE = ["--iree-stream-tensor-transformation-pipeline", "--iree-stream-async-transformation-pipeline", "--iree-stream-schedule-allocation"]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}")


folder = pathlib.Path(sys.argv[1])
(folder / "iree").mkdir(exist_ok=True)
flow = folder / "flow.mlir"
for model in sorted((folder / "stablehlo").glob("*.mlir")):
    run("iree-compile", model, *TARGET, "--compile-to=flow", "--mlir-print-debuginfo", "-o", flow)
    run("iree-opt", flow, *SCHEDULE, "--mlir-print-debuginfo", "-o", folder / "iree" / f"{model.stem}.sched.mlir")
flow.unlink()
