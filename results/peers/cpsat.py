"""Sets CP-SAT beside memplan: usage cpsat.py MEMPLAN FOLDER RECORDS SECONDS THREADS FILE...

CP-SAT gets each instance in two forms: an integer offset and
an interval of addresses a buffer, and either one no-overlap constraint for each
maximal set of buffers live at once (`cliques`), or one no-overlap constraint in
two dimensions (`rectangles`). The peak is minimised from first fit's, with the
load as its least value. Its plans are verified by memplan and added to RECORDS
(`memplan import-plans`); its bounds, which nobody can check, go to standard
output, with the seconds that it took.
"""
import csv
import json
import pathlib
import subprocess
import sys

from ortools.sat.python import cp_model


def main(memplan, folder, records, seconds, threads, *files):
    print("| instance | form | bound, by CP-SAT's word | peak | seconds |\n| :-- | :-- | --: | --: | --: |")
    for path in map(pathlib.Path, files):
        first = json.loads(output(memplan, "plan", path, "--planner", "first-fit-decreasing", "--format", "json"))
        with open(path) as f:
            rows = [(r["id"], int(r["lower"]), int(r["upper"]), int(r["size"])) for r in csv.DictReader(f)]
        for form in FORMS:
            offsets, bound, spent = solve(rows, form, first["load"], first["peak"], float(seconds.removesuffix("s")), int(threads))
            peak = "none"
            if offsets:
                name = f"cp-sat-{form}"
                plan = pathlib.Path(folder) / name / path.parent.name / path.name  # the instance's family is its folder
                plan.parent.mkdir(parents=True, exist_ok=True)
                with open(plan, "w", newline="") as f:
                    csv.writer(f).writerows([["id", "lower", "upper", "size", "offset"], *((*r, o) for r, o in zip(rows, offsets))])
                output(memplan, "import-plans", plan, "--instances", path.parent, "--name", name, "--planner", "", "--records", records)
                peak = max(r[3] + o for r, o in zip(rows, offsets))
            print(f"| {path.stem} | {form} | {bound} | {peak} | {spent:.1f} |", flush=True)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def cliques(model, rows, times, intervals):
    for live in maximal(rows):
        model.add_no_overlap([intervals[i] for i in live])


def rectangles(model, rows, times, intervals):
    model.add_no_overlap_2d(times, intervals)


FORMS = {"cliques": cliques, "rectangles": rectangles}


def maximal(rows):
    """The maximal sets of buffers live at once: those before a step where one ends, if one was born since the last such step."""
    born = {lower for _, lower, _, _ in rows}
    ended = {upper for _, _, upper, _ in rows}
    fresh = False
    for step in sorted(born | ended):
        if fresh and step in ended:
            yield [i for i, r in enumerate(rows) if r[1] < step <= r[2]]
            fresh = False
        fresh = fresh or step in born


def solve(rows, form, load, most, seconds, threads):
    """CP-SAT's offsets (None: it has no plan), its bound and the seconds it took."""
    model = cp_model.CpModel()
    peak = model.new_int_var(load, most, "peak")
    offsets = [model.new_int_var(0, most - r[3], r[0]) for r in rows]
    for r, o in zip(rows, offsets):
        model.add(o + r[3] <= peak)
    times = [model.new_fixed_size_interval_var(r[1], r[2] - r[1], "") for r in rows]
    FORMS[form](model, rows, times, [model.new_fixed_size_interval_var(o, r[3], "") for r, o in zip(rows, offsets)])
    model.minimize(peak)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = threads
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return [solver.value(o) for o in offsets] if found else None, round(solver.best_objective_bound), solver.wall_time


main(*sys.argv[1:])
