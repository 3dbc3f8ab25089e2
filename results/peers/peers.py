"""Sets memplan beside omnimalloc: usage peers.py MEMPLAN FOLDER BUDGET...

Writes the instances into FOLDER/peers: MiniMalloc's A to K, every kind that
omnimalloc generates for plain lifetimes, and what is hard of memplan's corpus.
For each instance and each budget it runs omnimalloc's allocators, keeps the
best plan that any of them found, runs memplan's planner `anytime` for as long,
and has both plans verified and recorded (`memplan import-plans`). Then it times
one-pass planners, turn about. The tables go to standard output.

Budgets are seconds of CPU time, so that other work on the machine does not
count: count_cpu_time shows omnimalloc that clock (on x86-64 Linux alone), and
memplan is interrupted when its time is up, reading the file included.

All runs have the same one core, which supermalloc divides among 12 threads, one
for each order and bound of its portfolio. Rows are shuffled: omnimalloc's
generators give them in an order that betrays the answer. Limits on iterations
of tabu search and annealing are lifted; other parameters are the defaults. An
allocator that does not end within its budget is given two seconds more and
then counts as having none. Allocators that cannot change which plan is best are not run: when the
load is reached, and when even a larger budget, which comes first, did not give a better
plan. More time mostly makes one better, not always: what is skipped so might
have had a lower peak by luck.
"""

import csv
import ctypes
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import omnimalloc
from omnimalloc import allocators as omni
from omnimalloc.allocators.greedy import order_by_size
from omnimalloc._cpp import best_fit_place, first_fit_place
from omnimalloc.benchmark import sources
from omnimalloc.io import load_allocation, save_allocation

MINIMALLOC = "../shared/data/minimalloc/challenging"
KINDS = ["Random", "Uniform", "PowerOf2", "HighContention", "Sequential", "Skewed", "Tiling", "Pinwheel"]
SIZES = [100, 1000, 10000]
OURS = ["pinwheel-101-1", "pinwheel-1001-1", "long-chain-200-20-1", "long-chain-200-50-1", "long-chain-200-200-1", "always-full-1000-1"]
EVER = 10**9  # iterations

PEERS = {
    "supermalloc": lambda s: omni.SupermallocAllocator(timeout=s, num_threads=12),
    "omni": lambda s: omni.OmniAllocator(),
    "best_fit": lambda s: omni.BestFitAllocator(),
    "telamalloc": lambda s: omni.TelamallocAllocator(timeout=s),
    "hill_climb": lambda s: omni.HillClimbAllocator(timeout=s),
    "simulated_annealing": lambda s: omni.SimulatedAnnealingAllocator(timeout=s, max_iterations=EVER),
    "tabu_search": lambda s: omni.TabuSearchAllocator(timeout=s, max_iterations=EVER),
    "random": lambda s: omni.RandomAllocator(),
}


def count_cpu_time():
    """Makes the monotonic clock of this process count its CPU time: a time limit is then one of work.

    clock_gettime itself is written over, for x86-64: clock 1, CLOCK_MONOTONIC, becomes 2, CLOCK_PROCESS_CPUTIME_ID, and
    the system is asked (cmp edi, 1; jne +5; mov edi, 2; mov eax, 228; syscall; ret).
    """
    libc = ctypes.CDLL(None)
    at = ctypes.cast(libc.clock_gettime, ctypes.c_void_p).value
    if libc.mprotect(ctypes.c_void_p(at & -4096), ctypes.c_size_t(2 * 4096), 7) != 0:
        raise OSError("clock_gettime cannot be written over")
    ctypes.memmove(at, bytes.fromhex("83ff01 7505 bf02000000 b8e4000000 0f05 c3"), 18)
    began = time.monotonic()
    time.sleep(0.2)
    if time.monotonic() - began > 0.1:
        raise OSError("the clock still counts what is slept")


def make_instances(memplan, folder):
    """Writes the instances and returns their names."""
    names = []
    for path in sorted(pathlib.Path(MINIMALLOC).glob("*.csv")):
        names.append(path.name.split(".")[0])
        shutil.copy(path, folder / f"{names[-1]}.csv")
    for size in SIZES:
        for kind in KINDS:
            n = size + (kind == "Pinwheel")  # which have 4 k + 1 buffers
            rows = list(getattr(sources, kind + "Source")(num_allocations=n).get_allocations())
            random.Random(1).shuffle(rows)
            names.append(f"{kind.lower()}-{n}")
            write(folder / f"{names[-1]}.csv", [(i, a.start, a.end, a.size) for i, a in enumerate(rows)])
    for name in OURS:
        names.append(f"ours-{name}")
        (folder / f"{names[-1]}.csv").write_text(output(memplan, "corpus", name))
    return names


def write(path, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([["id", "lower", "upper", "size", "offset"][: len(rows[0])], *rows])


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def peak(path):
    with open(path) as f:
        return max(int(row["offset"]) + int(row["size"]) for row in csv.DictReader(f))


def allocate(name, buffers, seconds, path):
    """Has an allocator write its plan to path, in a process of its own, and reports whether it did."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 2, seconds + 2))
        plan = PEERS[name](seconds).allocate(buffers)
        save_allocation(plan, path)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def interrupted(memplan, instance, planner, seconds, path):
    """Has memplan write its plan to path, interrupted after so many seconds of CPU time; reports whether it was done before."""
    command = [memplan, "plan", instance, "--planner", planner, "--threads", "1", "--time-limit", "none", "-o", path]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None and cpu_seconds(child.pid) < seconds:
            time.sleep(0.005)
        child.send_signal(signal.SIGINT)
    if child.returncode not in (0, 3):  # 3: interrupted
        raise RuntimeError(f"memplan plan {instance}: exit status {child.returncode}")
    return child.returncode == 0


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compete(memplan, folder, name, budgets):
    """Runs both sides on one instance for every budget; yields the budget and the best peer."""
    instance = folder / "peers" / f"{name}.csv"
    buffers = load_allocation(instance).allocations
    load = json.loads(output(memplan, "plan", instance, "--planner", "no-reuse", "--format", "json"))["load"]
    reached = dict.fromkeys(PEERS, 0)  # with a larger budget
    for seconds in sorted(budgets, reverse=True):
        ours, theirs = (folder / f"{who}-{seconds}s" / "peers" / f"{name}.csv" for who in ("anytime", "omnimalloc"))
        for plan in ours, theirs:
            plan.parent.mkdir(parents=True, exist_ok=True)
        best, who, trial = None, "none", folder / "trial.csv"
        for peer in PEERS:
            if best is not None and (best == load or best <= reached[peer]) or not allocate(peer, buffers, seconds, trial):
                continue
            reached[peer] = peak(trial)
            if best is None or reached[peer] < best:
                best, who = reached[peer], peer
                trial.rename(theirs)
        interrupted(memplan, instance, "anytime", seconds, ours)
        for plan in ours, theirs:
            if plan.exists():
                output(memplan, "import-plans", plan, "--instances", instance.parent, "--name", plan.parent.parent.name, "--planner", "",
                       "--records", folder / "records.jsonl")
        yield seconds, who


def one_pass(memplan, folder, name):
    """Times one-pass planners turn about; returns nanoseconds a buffer, the least of several turns: memplan's first fit and
    best fit, sorting by size included; omnimalloc's sort; its first fit and best fit, sorting not included."""
    instance, log = folder / "peers" / f"{name}.csv", folder / "one-pass.jsonl"
    buffers = load_allocation(instance).allocations
    least, spent, turns = [float("inf")] * 5, 0.0, 0
    while turns < 3 or turns < 25 and spent < 0.5:
        log.unlink(missing_ok=True)
        output(memplan, "bench", instance, "--planner", "first-fit-decreasing,best-fit-decreasing", "--jobs", "1", "--records", log)
        times = [json.loads(line)["nanoseconds"] for line in log.read_text().splitlines()]
        clock = [time.process_time_ns()]
        ordered = order_by_size(buffers)
        clock.append(time.process_time_ns())
        for place in first_fit_place, best_fit_place:
            place(ordered)
            clock.append(time.process_time_ns())
        times += [end - start for start, end in zip(clock, clock[1:])]
        least = [min(a, t / len(buffers)) for a, t in zip(least, times)]
        spent, turns = spent + sum(times) / 1e9, turns + 1
    return least


def main(memplan, folder, *budgets):
    folder, budgets = pathlib.Path(folder), [int(b) for b in budgets]
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "peers").mkdir(parents=True)
    count_cpu_time()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    omnimalloc.set_max_threads(12)
    names = make_instances(memplan, folder / "peers")

    best = {}
    for name in names:
        for seconds, who in compete(memplan, folder, name, budgets):
            best.setdefault(seconds, []).append(who)
            print(f"{name}: {seconds} s, best of omnimalloc's: {who}", file=sys.stderr, flush=True)
    print(output(memplan, "table", folder / "records.jsonl", "--format", "markdown"))
    for seconds in sorted(best):
        counts = ", ".join(f"{p} {best[seconds].count(p)}" for p in [*PEERS, "none"] if p in best[seconds])
        print(f"The best of omnimalloc's allocators after {seconds} s, by instances: {counts}.\n")

    print("Nanoseconds a buffer of one pass by size: memplan's; omnimalloc's, of which its C++ function alone; ratio of the first two.\n")
    print("| instance | first fit | theirs | C++ | ratio | best fit | theirs | C++ | ratio |")
    print("| :-- " + "| --: " * 8 + "|")
    for name in names:
        *ours, sort, first, fitted = one_pass(memplan, folder, name)
        cells = [f"{o:.0f} | {sort + c:.0f} | {c:.0f} | {o / (sort + c):.2f}" for o, c in zip(ours, (first, fitted))]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
