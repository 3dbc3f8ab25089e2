"""Times memplan beside supermalloc on instances that both prove optimal: usage nine.py MEMPLAN TURNS FILE...

Turn about, memplan's planner `exact`, on one thread and with another seed each
turn, and omnimalloc's supermalloc, on eight threads, each do all the files in
one process. What counts is that process's CPU time, user and system: memplan's
from its start, supermalloc's with Python and omnimalloc loaded and the files
read. Each file must be proven optimal by both, at the same peak.
"""
import json
import os
import subprocess
import sys

import omnimalloc
from omnimalloc.allocators import SupermallocAllocator
from omnimalloc.io import load_allocation

THREADS, SECONDS = 8, 60


def cpu(child):
    """Waits for a child and returns the CPU seconds it took."""
    _, status, used = os.wait4(child, 0)
    if status != 0:
        raise RuntimeError(f"exit status {status}")
    return used.ru_utime + used.ru_stime


def memplan(program, seed, files):
    """The peaks that memplan proves optimal, and the CPU seconds it took."""
    command = [program, "bench", *files, "--planner", "exact", "--threads", "1", "--jobs", "1", "--seed", str(seed),
               "--time-limit", f"{SECONDS}s", "--format", "json"]
    reading, writing = os.pipe()
    child = subprocess.Popen(command, stdout=writing)
    os.close(writing)
    with os.fdopen(reading) as f:
        records = [json.loads(line) for line in f]
    spent = cpu(child.pid)
    return [r["peak"] if r["status"] == "optimal" else None for r in records], spent


def supermalloc(instances):
    """The peaks that supermalloc proves optimal, and the CPU seconds it took."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        results = [SupermallocAllocator(timeout=SECONDS, num_threads=THREADS).solve(i) for i in instances]
        os.write(writing, json.dumps([r.peak if r.proved_optimal else None for r in results]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as f:
        peaks = json.load(f)
    return peaks, cpu(child)


def main(program, turns, *files):
    omnimalloc.set_max_threads(THREADS)
    instances = [load_allocation(path).allocations for path in files]
    total = [0.0, 0.0]
    print(f"CPU seconds for {len(files)} instances\n\n| turn | memplan | supermalloc | ratio |\n| --: | --: | --: | --: |")
    for turn in range(int(turns)):
        ours, mine = memplan(program, turn, files)
        theirs, spent = supermalloc(instances)
        if None in ours or ours != theirs:
            raise SystemExit(f"proven peaks: memplan's {ours}, supermalloc's {theirs}")
        total[0], total[1] = total[0] + mine, total[1] + spent
        print(f"| {turn + 1} | {mine:.2f} | {spent:.2f} | {mine / spent:.2f} |", flush=True)
    print(f"| all | {total[0]:.2f} | {total[1]:.2f} | {total[0] / total[1]:.2f} |")


main(*sys.argv[1:])
