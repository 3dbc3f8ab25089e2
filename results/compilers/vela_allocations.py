"""What Vela, Arm's compiler for Ethos-U, lays into memory of each model: usage vela_allocations.py FOLDER MODEL.tflite..., with vela's
package on PYTHONPATH. Writes FOLDER/vela/NAME.csv, the tensors in SRAM with Vela's plan.

The report of Vela's compiler in Python is read; the newer one in C++ has none. It plans in rounds: the last one counts.
"""

import csv
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"\s*(\d+) - +(\d+): +(0x[0-9a-f]+) - +(0x[0-9a-f]+): +(\d+):.*: (.*)")

folder, models = pathlib.Path(sys.argv[1]), [pathlib.Path(m) for m in sys.argv[2:]]
(folder / "vela").mkdir(parents=True, exist_ok=True)
for model in models:
    done = subprocess.run([sys.executable, "-c", "from ethosu.vela.vela import main; main()", model, "--output-dir", folder / "vela-out",
                           "--debug-force-legacy-core", "--verbose-allocation"], check=True, stdout=subprocess.PIPE, text=True)
    rows = sram = {}
    for line in done.stdout.splitlines():
        if line.startswith("Tensor Allocation for mem_area"):
            rows = {}
            sram = rows if " Sram," in line else sram
        elif row := ROW.fullmatch(line):
            first, last, start, _, size, name = row.groups()
            rows.setdefault((int(first), int(last) + 1, int(size), int(start, 16)), name)  # tensors that share a life share its bytes
    with open(folder / "vela" / f"{model.stem}.csv", "w", newline="") as f:
        csv.writer(f).writerows([("id", "lower", "upper", "size", "alignment", "offset"),
                                 *((f"{n}:{name}", first, end, size, 16, at) for n, ((first, end, size, at), name) in enumerate(sram.items()))])
