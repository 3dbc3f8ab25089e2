"""The module as a user meets it; needs the wheel installed, numpy, pandas and onnx, and what is not there is said to be skipped."""

import array
import collections
import contextlib
import doctest
import importlib.util
import json
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import memplan
from memplan import _buffers, _child

ROWS = [(0, 2, 64), (1, 3, 32), (2, 4, 64)]
README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def have(module):
    """Whether a package is there. In CI it has to be."""
    there = importlib.util.find_spec(module) is not None
    if not there and os.environ.get("CI"):
        raise AssertionError(f"{module} is not installed")
    return there


def endless(**more):
    """A call that would not end by itself."""
    return memplan.plan(memplan.corpus("always-full-1000-1"), planner="anytime", time_limit=None, **more)


class Inputs(unittest.TestCase):
    def check(self, what, ids=(0, 1, 2)):
        plan = memplan.plan(what)
        self.assertEqual((plan.peak, plan.status), (96, "optimal"))
        self.assertEqual(list(plan.offsets), list(ids))
        memplan.verify(what, plan)
        memplan.verify(what, plan.offsets)
        memplan.verify(what, list(plan))
        self.assertEqual(plan.array, array.array("q", plan.offsets.values()))

    def test_tuples(self):
        self.check(ROWS)
        self.check([(f"b{k}", *row) for k, row in enumerate(ROWS)], ["b0", "b1", "b2"])
        self.check({f"b{k}": row for k, row in enumerate(ROWS)}, ["b0", "b1", "b2"])

    def test_objects(self):
        kind = collections.namedtuple("Other", "start end size name")
        self.check([{"lower": a, "upper": b, "size": s} for a, b, s in ROWS])
        self.check([type("B", (), {"start": a, "end": b, "size": s, "id": k + 7})() for k, (a, b, s) in enumerate(ROWS)], [7, 8, 9])
        self.assertEqual(kind(*ROWS[0], "x").size, 64)

    def test_columns(self):
        a, b, s = zip(*ROWS)
        self.check({"lower": a, "upper": b, "size": s})

    def test_numpy(self):
        if not have("numpy"):
            self.skipTest("no numpy")
        import numpy
        matrix = numpy.array(ROWS, dtype=numpy.int32)
        self.check(matrix)
        self.check({"lower": matrix[:, 0], "upper": matrix[:, 1].astype(numpy.uint64), "size": matrix[:, 2]})
        structured = numpy.array(ROWS, dtype=[("lower", "i8"), ("upper", "i8"), ("size", "i4")])
        self.check(structured)
        self.assertEqual(numpy.asarray(memplan.plan(ROWS).array).sum(), 64)
        self.check(matrix.astype(float))
        with self.assertRaisesRegex(memplan.InputError, "size.*1.5 of buffer 0 "):
            memplan.plan({"lower": [0], "upper": [1], "size": numpy.array([1.5])})
        with self.assertRaisesRegex(memplan.InputError, "size.*18446744073709551615 of buffer 1 "):
            memplan.plan({"lower": [0, 0], "upper": [1, 1], "size": numpy.array([1, 2**64 - 1], dtype=numpy.uint64)})

    def test_pandas(self):
        if not have("pandas"):
            self.skipTest("no pandas")
        import pandas
        frame = pandas.DataFrame(ROWS, columns=["start", "upper", "size"])
        self.check(frame)
        self.check(frame.set_index(pandas.Index(["p", "q", "r"])), ["p", "q", "r"])
        self.assertEqual(list(memplan.plan(frame[frame["size"] > 32]).offsets), [0, 2])
        self.check(frame.astype(object))
        self.check(frame.astype("Int64"))
        with self.assertRaisesRegex(memplan.InputError, "no column size; the columns are start, upper, bytes_"):
            memplan.plan(frame.rename(columns={"size": "bytes_"}))
        with self.assertRaisesRegex(memplan.InputError, "size.*nan of buffer 1 "):
            memplan.plan(frame.assign(size=[64, None, 64]))
        with self.assertRaisesRegex(memplan.InputError, "offset.*1e\\+30 of buffer 2 "):
            memplan.plan(frame.assign(offset=[None, 0, 1e30]))
        frame["id"] = ["x", "y", "z"]
        frame["offset"] = [None, 0, None]
        plan = memplan.plan(frame)
        self.assertEqual(plan["y"], 0)

    def test_pins_and_alignment(self):
        plan = memplan.plan([(0, 2, 10, 16, None), (0, 2, 10, 16, 64)])
        self.assertEqual(plan.offsets, {0: 0, 1: 64})

    def test_files_and_graphs(self):
        graph = {"tensors": [{"id": "x", "bytes": 8}, {"id": "y", "bytes": 8}], "ops": [{"id": "o", "inputs": ["x"], "outputs": ["y"]}],
                 "inputs": ["x"], "outputs": ["y"]}
        plan = memplan.plan(graph)
        self.assertEqual((plan.peak, plan.schedule, sorted(plan.offsets)), (16, ["o"], ["x", "y"]))
        memplan.verify(graph, plan)
        with self.assertRaises(memplan.Refused):
            memplan.verify(graph, {"x": 0, "y": 4})

    def test_nothing(self):
        self.assertEqual(len(memplan.plan([])), 0)

    def test_what_would_be_lost_or_guessed(self):
        for what, says in [
            ([{"lower": 0, "end": 1, "size": 8, "upper": 2}], "'end': is it the last step"),
            ({"start": [0], "end": [2], "size": [8]}, "no upper|'end'|lower, upper, size"),
            ([{"lower": 0, "upper": 4, "size": 8}, {"lower": 0, "upper": 4, "size": 8, "gaps": "1-2"}], "'gaps': the command reads it"),
            ({"lower": [0], "upper": [2], "size": [8], "tie": ["a+4"]}, "'tie'"),
            ([(0, 2, "64")], "'64' of buffer 0 is no whole number"),
            ([(0, 2, 1), (0, 2, 64.5)], "64.5 of buffer 1 "),
        ]:
            with self.assertRaisesRegex(memplan.InputError, says):
                memplan.plan(what)
        self.check([(float(a), b, float(s)) for a, b, s in ROWS])
        for what in (None, 5, b"abc"):
            with self.assertRaisesRegex(TypeError, "want buffers, a model"):
                memplan.plan(what)

    def test_no_column_of_the_command_is_forgotten(self):
        page = (README.parent.parent / "docs" / "formats.md").read_text()
        table = page.split("| column |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
        names = {line.split("`")[1] for line in table}
        self.assertEqual(names - set(_buffers.OF_FILES) - {"end", "pool"}, {"id", *_buffers._COLUMNS})

    def test_corpus_is_whole(self):
        self.assertEqual(memplan.plan(memplan.corpus("pinned-25-1")).raw["pinned"], memplan.plan("pinned-25-1").raw["pinned"])
        self.assertEqual(memplan.plan("gapped-100-1").peak, 1000)
        with self.assertRaisesRegex(memplan.InputError, "gaps.*memplan.plan"):
            memplan.corpus("gapped-100-1")


class Answers(unittest.TestCase):
    def test_errors_say_what_the_command_says(self):
        for call, kind, says in [
            (lambda: memplan.plan([(5, 1, 8), (0, 1, -3)]), memplan.InputError, '(?s)buffer "0".*buffer "1"'),
            (lambda: memplan.plan([(0, 1)]), memplan.InputError, "want lower, upper, size"),
            (lambda: memplan.plan([(0, 1, 2), (0, 1)]), memplan.InputError, "buffer 1"),
            (lambda: memplan.plan([(0, 1, 2**70)]), memplan.InputError, "64 bits"),
            (lambda: memplan.plan([("a", 0, 1, 1), ("a", 0, 1, 1)]), memplan.InputError, "'a'"),
            (lambda: memplan.plan(ROWS, planner="nobody"), memplan.InputError, "nobody"),
            (lambda: memplan.plan("/no/such/file.csv"), memplan.InputError, "no such file"),
            (lambda: memplan.plan(ROWS, capacity=95), memplan.Refused, "does not fit"),
            (lambda: memplan.verify(ROWS, [0, 0, 0]), memplan.Refused, 'buffers "0" at .* and "1" at'),
            (lambda: memplan.verify(ROWS, [0, 0]), memplan.InputError, "2 offsets for 3"),
            (lambda: memplan.corpus("nothing"), memplan.InputError, "nothing"),
        ]:
            with self.assertRaisesRegex(kind, says) as caught:
                call()
            self.assertEqual(caught.exception.exit, kind.exit)

    def test_limit_keeps_the_plan(self):
        hard = memplan.corpus("always-full-1000-1")
        with self.assertRaises(memplan.LimitReached) as caught:
            memplan.plan(hard, planner="first-fit-decreasing", require_optimal=True)
        memplan.verify(hard, caught.exception.plan)

    def test_stat_compare_planners_version(self):
        known = memplan.stat(ROWS)
        self.assertEqual((known.load, known.sum, known.buffers, known.conflicts), (96, 160, 3, 2))
        runs = memplan.compare(["six-fits", "seven-above"], ["best-fit-decreasing", "exact"], rounds=1, time_limit=None)
        self.assertEqual((runs.peak("best-fit-decreasing", "six-fits"), runs.peak("exact", "six-fits"), len(runs)), (15, 10, 4))
        self.assertIn("six-fits", str(runs))
        self.assertIn("<table", runs._repr_html_())
        self.assertIn("exact", memplan.planners())
        self.assertIn("HiGHS 1.15", memplan.version())
        self.assertIn(f"memplan {memplan.__version__},", memplan.version())

    def test_compared_names_are_kept(self):
        names = ["net.1000", "a/b", "x.json", "sp ace", "é", ""]
        runs = memplan.compare({**{name: [(0, 2, 64)] for name in names}, 7: [(0, 2, 64)]}, "exact")
        self.assertEqual(sorted(r["instance"] for r in runs), sorted([*names, "7"]))
        self.assertEqual(runs.peak("exact", 7), 64)
        self.assertIn("net.1000", runs.table("csv"))
        for what in ([ROWS], [5]):
            with self.assertRaisesRegex(TypeError, "as a dict"):
                memplan.compare(what)

    def test_limits(self):
        self.assertEqual(memplan.plan(ROWS, time_limit="5s", capacity="96B").peak, 96)
        for limit in (-1, float("nan")):
            with self.assertRaisesRegex(memplan.InputError, "want seconds from 0"):
                memplan.plan(ROWS, time_limit=limit)

    def test_pictures(self):
        plan = memplan.plan(ROWS)
        self.assertIn("<svg", plan._repr_svg_())
        self.assertIn("optimal", plan._repr_html_())
        many = memplan.plan([(k, k + 1, 8) for k in range(10_001)], planner="first-fit-decreasing")
        self.assertIsNone(many._repr_svg_())
        self.assertIn("10,001 buffers", many._repr_html_())

    def test_progress(self):
        seen = []

        class Enough(Exception):
            pass

        def told(at):
            seen.append(at)
            if at.peak is not None:
                raise Enough
        with self.assertRaises(Enough):
            endless(progress=told)
        self.assertGreaterEqual(seen[-1].peak, seen[-1].bound)
        self.assertEqual(memplan.plan(ROWS).peak, 96)

    def test_readme(self):
        self.assertEqual(doctest.testfile(str(README), module_relative=False, optionflags=doctest.ELLIPSIS).failed, 0)


class Processes(unittest.TestCase):
    def test_threads(self):
        peaks, faults = [], []

        def work(k):
            try:
                for n in range(20):
                    peaks.append(memplan.plan([(0, 1, k + 1), (0, 1, n)], planner="first-fit-decreasing").peak - k - 1 - n)
            except BaseException as fault:
                faults.append(fault)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
        self.assertEqual((faults, peaks), ([], [0] * 160))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork(self):
        memplan.plan(ROWS)
        with contextlib.closing(multiprocessing.get_context("fork").Pool(2)) as pool:
            self.assertEqual([p.peak for p in pool.map_async(memplan.plan, [ROWS] * 4).get(60)], [96] * 4)
        self.assertEqual(memplan.plan(ROWS).peak, 96)

    def test_command(self):
        run = subprocess.run([sys.executable, "-m", "memplan", "--version"], env={**os.environ, "MEMPLAN_PROGRAM": _child.program()},
                             stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout.split()[:2]), (0, ["memplan", f"{memplan.__version__},"]))
        run = subprocess.run([sys.executable, "-c", "import memplan\nmemplan.plan([(0, 1, 2)])"], env={**os.environ, "MEMPLAN_PROGRAM": "/no/such/program"},
                             stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertIn("memplan.Failure: the command memplan cannot be run", run.stderr)

    def test_killed_child(self):
        memplan.plan(ROWS)
        child = _child._current()
        threading.Timer(0.3, child.process.kill).start()
        with self.assertRaisesRegex(memplan.ChildDied, "ended"):
            endless()
        self.assertEqual(memplan.plan(ROWS).peak, 96)
        _child._current().process.kill()
        _child._current().process.wait()
        for _ in range(100):  # until the reader has noticed, a call may still get the old child; it must not hang
            with contextlib.suppress(memplan.ChildDied):
                self.assertEqual(memplan.plan(ROWS).peak, 96)
                break

    @unittest.skipIf(os.name == "nt", "no such signal")
    def test_interrupt(self):
        code = ("import memplan, signal\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)  # not so in a job in the background\n"
                "hard = memplan.corpus('always-full-1000-1')\n"
                "def told(at): print('begun', flush=True)\n"
                "try: memplan.plan(hard, planner='anytime', time_limit=None, progress=told)\n"
                "except KeyboardInterrupt: print('stopped', memplan.plan([(0, 1, 5)]).peak)\n")
        python = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(python.stdout.readline(), "begun\n")
        python.send_signal(signal.SIGINT)
        out, _ = python.communicate(timeout=60)
        self.assertEqual(out.splitlines()[-1], "stopped 5")
        self.assertEqual(python.returncode, 0)

    def test_child_ends_with_python(self):
        out = subprocess.run([sys.executable, "-c", "import memplan; from memplan import _child; memplan.plan([(0, 1, 5)]); print(_child._current().process.pid)"],
                             stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
        for _ in range(200):
            try:
                os.kill(int(out), 0)
            except OSError:
                return
            if pathlib.Path(f"/proc/{int(out)}/status").exists() and "Z (zombie)" in pathlib.Path(f"/proc/{int(out)}/status").read_text():
                return
            time.sleep(0.05)
        self.fail("the child outlives Python")


class Gate(unittest.TestCase):
    """docs/gate.md's workflow in a repository of its own, by the command that came with the module."""

    def test_green_then_red(self):
        page = (README.parent.parent / "docs" / "gate.md").read_text()
        steps = [line.split("run: ", 1)[1] for line in page.split("```yaml")[1].split("```")[0].splitlines() if "run: " in line]
        self.assertEqual(len(steps), 5)
        with tempfile.TemporaryDirectory() as folder:
            bin, other = pathlib.Path(folder, "bin"), pathlib.Path(folder, "other")
            bin.mkdir(), other.mkdir()
            (bin / "memplan").symlink_to(_child.program())
            env = {"PATH": f"{bin}:/usr/bin:/bin", "HOME": folder}

            def sh(*commands):
                done = subprocess.run(["bash", "-ec", "\n".join(commands)], cwd=other, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
                return done.returncode, done.stdout

            def planner(name):
                (other / "planner").write_text(f'#!/bin/sh\nexec memplan plan "$1" --planner {name}\n')
                (other / "planner").chmod(0o755)
            planner("best-fit-decreasing")
            self.assertEqual(sh("memplan corpus -o instances six-fits seven-above eight-above", *steps[1:4], "mv new.jsonl baseline.jsonl; rm -r plans")[0], 0)
            code, says = sh(*steps[1:])
            self.assertEqual((code, says.splitlines()[-1]), (0, "0 worse, 0 better, 0 new, 6 the same"))
            sh("rm -r plans new.jsonl")
            planner("online-first-fit")
            code, says = sh(*steps[1:])
            self.assertEqual(code, 1)
            self.assertIn("worse   eight-above  ours  peak 6, was 5\n1 worse, 0 better, 0 new, 5 the same\n", says)


class Protocol(unittest.TestCase):
    def test_the_client_of_the_docs(self):
        page = (README.parent.parent / "docs" / "formats.md").read_text()
        code = page.split("```python\n")[1].split("```")[0]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "memplan").symlink_to(_child.program())
            out = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PATH": f"{folder}:/usr/bin:/bin"}, stdout=subprocess.PIPE, text=True, timeout=60).stdout
        self.assertEqual(out.strip(), code.rsplit("# ", 1)[1].strip())


class Others(unittest.TestCase):
    def test_omnimalloc(self):
        if not have("omnimalloc"):
            self.skipTest("no omnimalloc")
        import omnimalloc
        import memplan.omnimalloc
        from omnimalloc.benchmark import sources
        self.assertIn("memplan", str(omnimalloc.available_allocators()))
        allocations = sources.PinwheelSource(num_allocations=101).get_allocations()
        ours = memplan.omnimalloc.MemplanAllocator("exact").allocate(allocations)
        from omnimalloc.allocators.greedy import GreedyBySizeAllocator
        theirs = GreedyBySizeAllocator().allocate(allocations)
        peak = lambda placed: max(a.offset + a.size for a in placed)
        self.assertEqual(peak(ours), memplan.stat(allocations).load)
        self.assertLessEqual(peak(ours), peak(theirs))
        runs = memplan.compare({"theirs": [(a.start, a.end, a.size) for a in allocations]}, ["first-fit-decreasing", "exact"])
        self.assertEqual(runs.peak("exact"), peak(ours))

    def test_omnimalloc_in_bench(self):
        """docs/planners/omni.py: its allocators side by side with ours, from an experiment file."""
        if not have("omnimalloc"):
            self.skipTest("no omnimalloc")
        example = str(README.parent.parent / "docs" / "planners" / "omni.py")
        foreign = [{"name": name, "command": [sys.executable, example, name], "time_limit": "60s"} for name in ("GreedyBySize", "Supermalloc")]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "experiment.json")
            file.write_text(json.dumps({"schema": 1, "instances": ["seven-above", "six-fits"], "planners": [*foreign, "exact"]}))
            done = subprocess.run([_child.program(), "bench", "-f", str(file), "--format", "json"], stdout=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 0)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        peaks = {(r["planner"], r["instance"]): r["peak"] for r in records}
        self.assertEqual(len(records), 6)
        for instance, optimum in (("seven-above", 5), ("six-fits", 10)):
            self.assertEqual(peaks["exact", instance], optimum)
            self.assertGreaterEqual(peaks["GreedyBySize", instance], optimum)
            self.assertEqual(peaks["Supermalloc", instance], optimum)

    def test_onnx(self):
        if not have("onnx"):
            self.skipTest("no onnx")
        from onnx import TensorProto, helper
        nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Concat", ["a", "x"], ["b"], axis=1), helper.make_node("Relu", ["b"], ["y"])]
        model = helper.make_model(helper.make_graph(nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
                                                    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]))
        graph = memplan.from_onnx(model, dims={"n": 2})
        known = memplan.stat(graph)
        self.assertEqual(known.load, 128)  # b and y, 64 bytes each
        self.assertEqual(memplan.plan(graph).peak, 128)
        self.assertEqual(model.graph.input[0].type.tensor_type.shape.dim[0].dim_param, "n")

    def test_onnx_models(self):
        """Real models, whose inner sizes onnx infers; every load is reached."""
        folder = README.parent.parent.parent / "shared" / "data" / "onnx"
        if not folder.exists() and not os.environ.get("CI"):
            self.skipTest(f"no {folder}")
        if not have("onnx"):
            self.skipTest("no onnx")
        for name, load in {"densenet121": 8429568, "inception_v1": 6422528, "squeezenet": 6308352}.items():
            plan = memplan.plan(memplan.from_onnx(folder / f"onnxlight__light_{name}.onnx"))
            self.assertEqual((plan.load, plan.peak, plan.status), (load, load, "optimal"))

    def test_torch(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("torch is tried by hand")
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.one = torch.nn.Linear(4, 8)

            def forward(self, x):
                h = self.one(x).view(2, 2, 4)
                return torch.relu(h) + h
        graph = memplan.from_torch(torch.export.export(Model(), (torch.zeros(2, 4),)))
        plan = memplan.plan(graph)
        self.assertEqual(plan.peak, 3 * 64)  # h, relu(h), their sum


if __name__ == "__main__":
    unittest.main()
