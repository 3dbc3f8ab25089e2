"""Compiles five models both ways with the real compiler, runs both, and compares.

usage: try.py FOLDER     memplan, iree-compile, iree-opt and iree-run-module on the path
The outputs have to be equal to the bit, and what the device takes has to fall by
exactly what memplan says. A plan with all offsets 0 has to compile, and to
compute something else: IREE checks none.
"""
import json
import os
import re
import subprocess
import sys

import numpy as np

import models

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = ["--iree-input-type=stablehlo", "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=generic"]


def run(*command, **env):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def measured(program, inputs, out):
    """What a program computes, byte for byte, and the most that the device held."""
    text = run("iree-run-module", "--device=local-sync", f"--module={program}", "--function=main", "--print_statistics",
               *[f"--input=@{i}" for i in inputs], f"--output=@{out}")
    with open(out, "rb") as f:
        return f.read(), int(re.search(r"DEVICE_LOCAL:\s*(\d+)B peak", text)[1])


def zeroed(sched, planned, program):
    """The same module with every slice at offset 0, compiled."""
    with open(planned) as f:
        text = re.sub(r"(%memplan\d+_[1-9]\d* = arith.constant) \d+", r"\1 0", f.read())
    zero = planned + ".zero"
    with open(zero, "w") as f:
        f.write(text)
    run("iree-opt", zero, "--iree-stream-cmd-transformation-pipeline", "--iree-stream-optimization-pipeline", "--iree-stream-cleanup-pipeline",
        "--symbol-dce", "-o", zero + ".stream")
    run("iree-compile", zero + ".stream", "--compile-from=stream", *TARGET, "-o", program)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    wrong = 0
    for make in models.ALL:
        at = os.path.join(folder, make.__name__)
        m = models.Model()
        text = m.text(make(m))
        with open(at + ".mlir", "w") as f:
            f.write(text)
        random = np.random.default_rng(1)
        inputs = []
        for k, (_, shape) in enumerate(m.args):
            inputs.append(f"{at}.{k}.npy")
            np.save(inputs[-1], random.standard_normal(shape, dtype=np.float32))
        run(os.path.join(HERE, "memplan-iree"), at + ".mlir", at + ".planned.vmfb", *TARGET, MEMPLAN_IREE="check", MEMPLAN_IREE_KEEP=at)
        run("iree-compile", at + ".mlir", *TARGET, "-o", at + ".plain.vmfb")
        report = json.loads(run("memplan", "iree", at + ".sched.mlir", "--json"))
        ours, ours_bytes = measured(at + ".planned.vmfb", inputs, at + ".planned.npy")
        theirs, theirs_bytes = measured(at + ".plain.vmfb", inputs, at + ".plain.npy")
        zeroed(at + ".sched.mlir", at + ".planned.mlir", at + ".zero.vmfb")
        garbage, _ = measured(at + ".zero.vmfb", inputs, at + ".zero.npy")
        saved = report["before"] - report["after"]
        good = ours == theirs and theirs_bytes - ours_bytes == saved and garbage != theirs
        wrong += not good
        print(f"{make.__name__:9} transients {report['before']:7} -> {report['after']:7}  device {theirs_bytes:7} -> {ours_bytes:7}  "
              f"outputs {'equal' if ours == theirs else 'DIFFER'}, with all offsets 0 {'other' if garbage != theirs else 'EQUAL'}"
              f"{'' if good else '  WRONG'}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main(sys.argv[1])
