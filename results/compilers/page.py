"""The page of `make compilers`: usage page.py FOLDER PUBLISHED. Reads FOLDER/records.jsonl, writes PUBLISHED/compilers.md and .csv, and
FOLDER/makers.jsonl, the compilers' own plans alone, for the picture."""

import csv
import json
import math
import pathlib
import sys

MAKERS = {"xla": "XLA", "iree": "IREE", "executorch": "ExecuTorch", "tvm": "TVM", "tflm": "TFLM", "vela": "Vela"}
PLANNERS = {"tflm": "tflm-greedy"}  # makers whose plans are those of a planner of ours
SHOWN = ["best-fit-decreasing", "choose-best", "anytime", "exact"]

PROSE = """# What compilers leave behind

`make compilers` made this page and [compilers.csv](compilers.csv), which has what each planner takes on each instance. The plans that six
compilers made of networks stand beside the proven optimum of the same buffers, in bytes.

![a dot for each plan, at what it takes above the optimum](compilers.svg)

{summary}

The optimum is proven, and the proof replayed, {proven}.
Geometric means; *at it*: plans of {count} instances that nothing can beat.

## How the instances were chosen, and what that biases

- XLA and IREE: ten small networks written for this in JAX, weights as arguments, each to infer and to train. XLA's are the values
  that its heap simulator places for one CPU, IREE's the transients of its llvm-cpu target. They are small, so that compiling takes a
  minute: none is a model that people run. XLA's offsets count from the start of an allocation in which other temporaries may lie
  below: that is all that it takes above the optimum on the two `lstm`.
- ExecuTorch and TVM: ten networks of torchvision with random weights at 128 by 128, a U-Net and an encoder, all kinds that were
  at hand and none left out for its result. ExecuTorch's are portable float programs by its default planner; backends that take over
  most of a network, as XNNPACK does, leave little to plan. TVM's plan is the sum of its storages, as it places
  tensors into several of them; ours is one arena.
- TFLM and Vela: the five models that two Python packages ship, four wake words and a model of music. TFLM's plan is by `tflm-greedy`,
  which follows its greedy planner; Vela's is by its hill climb, of what it keeps in SRAM.
- All are compiled for one CPU or NPU without dynamic shapes. PyTorch's CUDA allocator is missing: a snapshot needs a GPU. Nothing
  here says how often a compiler's plan decides what a program takes; buffers that a compiler does not plan are not counted.
- Lives are the compilers' own, or for ExecuTorch, TVM and TFLM as memplan reads them out of the program; all plans are of the same
  buffers, so that only offsets are compared. memplan's searches were not tuned on these.

It was made from an empty folder once: {cost}.

## By instance

{instances}

## Every planner

{planners}
"""
COST = ("7.2 GB of packages, of which PyTorch takes 5.6, 0.2 GB of dumps, and about five minutes of processor time, a quarter of an hour on\n"
        "a machine that had much else to do; tables and picture came out the same to the byte as those of an earlier run")


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| :-- " + "| --: " * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


class Score:
    """An instance, what its maker takes and what planners take."""

    def __init__(self, maker, name):
        self.maker, self.name, self.peaks, self.bound, self.own = maker, name, {}, 0, None

    def add(self, record):
        self.buffers, self.load = record["buffers"], record["load"]
        if record["planner"] == PLANNERS.get(self.maker, self.maker):
            self.own = {**record, "planner": MAKERS[self.maker]}
        if record["planner"] != self.maker:
            self.peaks[record["planner"]] = record["peak"]
        if record["proof"] in ("load", "search"):
            self.bound = max(self.bound, record["bound"])

    @property
    def best(self):
        return min(p for p in [self.own["peak"], *self.peaks.values()] if p is not None)


def read(path):
    scores = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        maker = "tflm" if record["family"] == "models" else record["family"]
        scores.setdefault((maker, record["instance"]), Score(maker, record["instance"])).add(record)
    order = list(MAKERS)
    return sorted(scores.values(), key=lambda s: (order.index(s.maker), s.name))


def main(folder, published):
    folder, published = pathlib.Path(folder), pathlib.Path(published)
    scores = read(folder / "records.jsonl")
    planners = list(scores[0].peaks)
    with open(folder / "makers.jsonl", "w") as f:
        f.writelines(json.dumps(s.own) + "\n" for s in scores)
    with open(published / "compilers.csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["instance", "compiler", "buffers", "load", "bound", "best", "compiler_peak", *planners])
        out.writerows([s.name, s.maker, s.buffers, s.load, s.bound, s.best, s.own["peak"], *(s.peaks.get(p) for p in planners)] for s in scores)

    summary = []
    for maker, name in MAKERS.items():
        own = [s for s in scores if s.maker == maker]
        worst = max(own, key=lambda s: s.own["peak"] / s.bound)
        summary.append([name, len(own), sum(s.own["peak"] == s.bound for s in own), f"{mean([s.own['peak'] / s.bound for s in own]):.3f}",
                        f"{worst.own['peak'] / worst.bound:.3f}", worst.name, *(f"{mean([s.peaks[p] / s.bound for s in own]):.3f}" for p in SHOWN)])
    rows = []
    for s in scores:
        optimum = s.bound if s.bound == s.best else f"[{s.bound}, {s.best}]"
        rows.append([s.name, MAKERS[s.maker], s.buffers, s.load, optimum, s.own["peak"], f"{s.own['peak'] / s.bound:.3f}",
                     *(f"{s.peaks[p] / s.bound:.3f}" for p in SHOWN)])
    every = []
    for p in planners:
        ratios = {s.name: s.peaks[p] / s.bound for s in scores if s.peaks.get(p)}
        worst = max(ratios, key=ratios.get)
        every.append([p, f"{mean(list(ratios.values())):.3f}", f"{ratios[worst]:.3f}", worst, sum(s.peaks.get(p) == s.bound for s in scores)])
    every.sort(key=lambda row: row[1])
    proven = sum(s.bound == s.best for s in scores)
    (published / "compilers.md").write_text(PROSE.format(
        summary=table(["compiler", "instances", "at it", "mean", "worst", "on", *SHOWN], summary),
        proven=f"of {proven} of {len(scores)} instances", count=len(scores), cost=COST,
        instances=table(["instance", "compiler", "buffers", "load", "optimum", "compiler's", "ratio", *SHOWN], rows),
        planners=table(["planner", "mean", "worst", "on", "at the optimum"], every)))


if __name__ == "__main__":
    main(*sys.argv[1:])
