"""Sets memplan beside omnimalloc where lives are vector clocks: usage clocks.py MEMPLAN FOLDER SECONDS.

Every kind that omnimalloc generates with clocks, 128 buffers in 2, 4 and 8 streams, its rows shuffled. Of the allocators of
omnimalloc that take clocks the best plan counts; each has so many seconds of CPU time, as peers.py has it, unless one before it
reached what memplan has proven to be the optimum. memplan has two planners, each with as many on one thread: `exact`, and `anytime`.
All plans are verified and recorded; `exact` without seconds in its name has 20 of them, and is where bounds are from. The table goes
to standard output.
"""

import os
import pathlib
import random
import shutil
import sys

import omnimalloc
import peers
from omnimalloc import allocators as omni
from omnimalloc.benchmark import sources
from omnimalloc.benchmark.sources.sync_patterns import SYNC_PATTERNS
from omnimalloc.io import load_allocation, save_allocation

EVER = 10**9  # iterations

PEERS = {
    "omni": lambda s: omni.OmniAllocator(),
    "greedy_by_all": lambda s: omni.GreedyByAllAllocator(),
    "best_fit": lambda s: omni.BestFitAllocator(),
    "hill_climb": lambda s: omni.HillClimbAllocator(timeout=s),
    "simulated_annealing": lambda s: omni.SimulatedAnnealingAllocator(timeout=s, max_iterations=EVER),
    "tabu_search": lambda s: omni.TabuSearchAllocator(timeout=s, max_iterations=EVER),
    "random": lambda s: omni.RandomAllocator(),
}


def kinds():
    """The instances by name."""
    for streams in 2, 4, 8:
        for pattern in SYNC_PATTERNS:
            yield f"{pattern}-{streams}", sources.SyncPatternSource(num_threads=streams, pattern=pattern)
        yield f"tiling-{streams}", sources.ConcurrentTilingSource(num_threads=streams)
    yield "two-plus-two", sources.TwoPlusTwoSource()
    yield "two-plus-two-noise", sources.TwoPlusTwoSource(noise=0.5)


def main(memplan, folder, seconds):
    folder, seconds = pathlib.Path(folder), int(seconds)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "clocks").mkdir(parents=True)
    peers.count_cpu_time()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    omnimalloc.set_max_threads(1)
    peers.PEERS = PEERS
    for name, source in kinds():
        rows = list(source.get_allocations())
        random.Random(1).shuffle(rows)
        instance = folder / "clocks" / f"{name}.csv"
        save_allocation(rows, instance)
        compete(memplan, folder, instance, seconds)
    peers.output(memplan, "bench", folder / "clocks", "--planner", "exact", "--time-limit", "20s", "--jobs", "1",
                 "--records", folder / "records.jsonl")
    print(peers.output(memplan, "table", folder / "records.jsonl", "--format", "markdown"))


def compete(memplan, folder, instance, seconds):
    """Runs both sides on one instance."""
    theirs, trial, best = folder / "omnimalloc" / "clocks" / instance.name, folder / "trial.csv", None
    theirs.parent.mkdir(parents=True, exist_ok=True)
    plans = [(theirs, "omnimalloc")]
    for planner in "exact", "anytime":
        ours = folder / planner / "clocks" / instance.name
        ours.parent.mkdir(parents=True, exist_ok=True)
        proven = peers.interrupted(memplan, instance, planner, seconds, ours)
        if planner == "exact":
            optimum = peers.peak(ours) if proven else 0
        plans.append((ours, planner))
    for peer in PEERS:
        if best == optimum:
            break
        if peers.allocate(peer, load_allocation(instance).allocations, seconds, trial):
            peak = peers.peak(trial)
            if best is None or peak < best:
                best, who = peak, peer
                trial.rename(theirs)
    print(f"{instance.stem}: {' '.join(str(peers.peak(plan)) for plan, _ in plans)}, best of omnimalloc's: {who}", file=sys.stderr, flush=True)
    for plan, name in plans:
        peers.output(memplan, "import-plans", plan, "--instances", instance.parent, "--name", f"{name}-{seconds}s", "--planner", "",
                     "--records", folder / "records.jsonl")


main(*sys.argv[1:])
