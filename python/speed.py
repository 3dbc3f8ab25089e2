"""Seconds of a call of memplan.plan and of omnimalloc's allocators, in one run, turn about, by the least of several turns.

usage: speed.py, with the wheel and omnimalloc installed. Prints a table in Markdown: milliseconds a call, and the peak that
it gives as a share of the load. Allocators that take more than 10 seconds are left out of larger instances.
"""

import random
import time

import omnimalloc.allocators as theirs
from omnimalloc.primitives import Allocation

import memplan
from memplan.omnimalloc import MemplanAllocator

COUNTS, LIVE, TURNS, PATIENCE = (10, 1000, 100_000), 60, 5, 10.0


def instance(count):
    """Buffers of which about LIVE are live at once."""
    draw = random.Random(1)
    rows = []
    for _ in range(count):
        start = draw.randrange(count)
        rows.append((start, start + 1 + draw.randrange(2 * LIVE), draw.randrange(1, 1024)))
    return rows


def columns(rows):
    import numpy
    return numpy.array(rows, dtype=numpy.int64)


def peak(rows, offsets):
    return max(at + size for at, (_, _, size) in zip(offsets, rows))


def main():
    ours = "first-fit-decreasing"
    contenders = {
        "memplan.plan of an array": (columns, lambda a: memplan.plan(a, planner=ours).array),
        "memplan.plan of tuples": (list, lambda rows: memplan.plan(rows, planner=ours).array),
        "memplan among omnimalloc's": (None, MemplanAllocator(ours).allocate),
        "omnimalloc greedy_by_size": (None, theirs.GreedyBySizeAllocator().allocate),
        "omnimalloc best_fit": (None, theirs.BestFitAllocator().allocate),
        "omnimalloc omni": (None, theirs.OmniAllocator().allocate),
    }
    print("| call | " + " | ".join(f"{n:,} buffers" for n in COUNTS) + " |\n|:--|" + "--:|" * len(COUNTS))
    cells = {name: [] for name in contenders}
    for count in COUNTS:
        rows = instance(count)
        load = memplan.stat(rows).load
        allocations = tuple(Allocation(id=k, size=s, start=a, end=b) for k, (a, b, s) in enumerate(rows))
        best, last, slow = {}, {}, set()
        for _ in range(TURNS):
            for name, (form, call) in contenders.items():
                if name in slow:
                    continue
                given = allocations if form is None else form(rows)
                times = 1 if count > 1000 else 100 if count == 10 else 10
                began = time.perf_counter()
                for _ in range(times):
                    last[name] = call(given)
                took = (time.perf_counter() - began) / times
                best[name] = min(took, best.get(name, took))
                if took > PATIENCE:
                    slow.add(name)
        for name, (form, _) in contenders.items():
            offsets = last[name] if form is not None else [a.offset for a in last[name]]
            cells[name].append(f"{1000 * best[name]:.3g} ms, {peak(rows, offsets) / load:.3f}")
    for name, row in cells.items():
        print(f"| {name} | " + " | ".join(row) + " |")


main()
