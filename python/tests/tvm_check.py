"""Compiles modules by TVM's planner and by memplan's, runs both, and prints a table. `make test-tvm` runs it.

Needs apache-tvm (.deps/tvm) and the command memplan. What the runtime's allocator holds is asked of malloc, after a run: the
allocator keeps all that it took, each storage in whole pages.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import pathlib
import random
import unittest

import numpy as np
import tvm
from tvm import relax
from tvm.script import from_source

import memplan
import memplan.tvm

PAGE = 4096


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


LIBC = ctypes.CDLL(None)
LIBC.mallinfo2.restype = Mallinfo


def compiled(mod, pipeline="default"):
    return tvm.compile(mod, target="llvm", relax_pipeline=pipeline)


def planned(mod, pipeline="default"):
    with memplan.tvm.planning() as report:
        return compiled(mod, pipeline), report


def flat(value):
    return [value.numpy()] if hasattr(value, "numpy") else [a for v in value for a in flat(v)]


def run(program, inputs, entry="main"):
    """What a program computes, and the bytes of whole pages that the runtime's allocator took for it."""
    tensors = [tvm.runtime.tensor(i) for i in inputs]
    machine = relax.VirtualMachine(program, tvm.cpu())
    machine[entry](*tensors)  # the first run takes kernels' memory, too
    tvm.get_global_func("vm.builtin.memory_manager.clear")()
    gc.collect()
    before = LIBC.mallinfo2()
    result = machine[entry](*tensors)
    after = LIBC.mallinfo2()
    # A mapping has a page more than was asked for: malloc's own word, and the alignment.
    taken = after.hblkhd - before.hblkhd - PAGE * (after.hblks - before.hblks) + after.uordblks - before.uordblks
    outputs = flat(result)
    del result, machine
    return outputs, taken


def same(one, other):
    return len(one) == len(other) and all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(one, other))


class Network:
    """A convolutional network, from its layers."""

    def __init__(self, size):
        self.builder, self.draw = relax.BlockBuilder(), np.random.default_rng(1)
        self.input = relax.Var("x", relax.TensorType((1, 3, size, size), "float32"))

    def emit(self, call):
        return self.builder.emit(call)

    def conv(self, x, count, kernel=1, stride=1):
        shape = (count, int(x.ty.shape[1]), kernel, kernel)
        weight = relax.const((self.draw.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype("float32"))
        return self.emit(relax.op.nn.relu(self.emit(relax.op.nn.conv2d(x, weight, strides=stride, padding=kernel // 2))))

    def pool(self, x):
        return self.emit(relax.op.nn.max_pool2d(x, pool_size=3, strides=2, padding=1))

    def concat(self, *parts):
        return self.emit(relax.op.concat(list(parts), axis=1))

    def module(self, layers):
        with self.builder.function("main", [self.input]):
            with self.builder.dataflow():
                result = self.builder.emit_output(layers(self, self.input))
            self.builder.emit_func_output(result)
        return self.builder.finalize()


def chain(n, x):
    for count in (16, 4, 24, 8, 32, 4):
        x = n.conv(x, count, 3)
    return x


def branches(n, x):
    for a, b, c in ((16, 8, 4), (4, 24, 8), (32, 8, 16)):
        x = n.concat(n.conv(n.conv(x, a), b, 3), n.conv(x, c), n.conv(x, 8, 3))
    return x


def skips(n, x):
    x, kept = n.conv(x, 8, 3), []
    for count in (16, 32, 64):
        kept.append(x)
        x = n.conv(x, count, 3, 2)
    for count in (32, 16, 8):
        x = n.conv(n.emit(relax.op.image.resize2d(x, list(kept[-1].ty.shape.values)[2:], layout="NCHW", method="nearest_neighbor")), count)
        x = n.concat(x, kept.pop())
    return n.conv(x, 4)


def dense(n, x):
    for _ in range(6):
        x = n.concat(x, n.conv(n.conv(x, 24), 8, 3))
    return n.conv(x, 8)


def residual(n, x):
    x = n.conv(x, 16, 3)
    for count in (16, 32, 64):
        x = n.conv(x, count, 3, 2)
        x = n.emit(relax.op.add(x, n.conv(n.conv(n.conv(x, count // 4), count // 4, 3), count)))
    return x


def squeezenet(n, x):
    x = n.pool(n.conv(x, 64, 3, 2))
    for k, (squeeze, wide) in enumerate(((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))):
        x = n.pool(x) if k in (2, 4) else x
        s = n.conv(x, squeeze)
        x = n.concat(n.conv(s, wide), n.conv(s, wide, 3))
    return n.emit(relax.op.mean(n.conv(x, 1000), axis=[2, 3]))


NETWORKS = {chain: 64, branches: 64, skips: 64, dense: 48, residual: 96, squeezenet: 224}


class Networks(unittest.TestCase):
    """Equal bits, and the allocator takes less by as much as the plan says, to the page."""

    def test_networks(self):
        print("\n| network | TVM | memplan | | optimum |\n|---|--:|--:|---|--:|")
        better = 0
        for layers, size in NETWORKS.items():
            mod, inputs = Network(size).module(layers), [np.random.default_rng(2).standard_normal((1, 3, size, size)).astype("float32")]
            pipeline = relax.get_default_pipeline(tvm.target.Target("llvm"))
            want, theirs = run(compiled(mod, pipeline), inputs)
            program, (p,) = planned(mod, pipeline)
            got, ours = run(program, inputs)
            self.assertTrue(same(want, got), layers.__name__)
            change = f"{100 * (p.after - p.before) / p.before:.0f} %" if p.after != p.before else ""
            print(f"| {layers.__name__} | {p.before:,} | {p.after:,} | {change} | {p.plans[0].peak:,} |", flush=True)
            self.assertTrue(p.plans[0].optimal)
            self.assertEqual(p.plans[0].peak, p.plans[0].load)
            for measured, said in ((theirs, p.before), (ours, p.after)):  # malloc's words, and little things on the heap
                self.assertLess(abs(measured - said), 2048, (layers.__name__, measured, said))
            better += p.after < p.before
        self.assertGreaterEqual(better, 4)


HEAD = "# from tvm.script import ir as I\n# from tvm.script import relax as R\n"


def source(draw):
    """A module with branches, tuples, reshapes and a function that another calls, as text."""
    lines, names = [], iter(range(1000))
    rows, columns = 16, 24

    def name():
        return f"v{next(names)}"

    def let(value, indent):
        """A name for a value, which a line gives it."""
        made = name()
        lines.append(f"{indent}{made} = {value}")
        return made

    def block(known, depth, indent):
        """Lines that make values of (rows, columns); the values that can be used after it."""
        known = list(known)

        def emit(value):
            known.append(let(value, indent))
        for _ in range(draw.randrange(2, 5)):
            a, b = draw.choice(known), draw.choice(known)
            kind = draw.randrange(7 if depth < 2 else 6)
            if kind == 0:
                emit(f"R.nn.relu({a})")
            elif kind == 1:
                emit(f"R.add({a}, {b})")
            elif kind == 2:
                wide = let(f"R.concat([{a}, {b}, {a}], axis=0)", indent)
                emit(f"R.add(R.split({wide}, 3, axis=0)[{draw.randrange(3)}], {b})")
            elif kind == 3:
                flat = let(f"R.reshape({a}, ({columns}, {rows}))", indent)
                emit(f"R.reshape(R.sin({flat}), ({rows}, {columns}))")
            elif kind == 4:
                pair = let(f"(R.exp(R.negative(R.nn.relu({a}))), {b})", indent)
                emit(f"R.subtract({pair}[0], {pair}[1])")
            elif kind == 5:
                emit(f"M.inner({a}, {b})" if depth == 0 or draw.random() < 0.5 else f"R.nn.relu({a})")
            else:
                known = choice(draw.randrange(3), known, depth, indent)
        return known

    def choice(condition, known, depth, indent):
        result = name()
        for head in (f"if c{condition}:", "else:"):
            lines.append(indent + head)
            inner = block(known, depth + 1, indent + "    ")
            lines.append(f"{indent}    {result} = {draw.choice(inner[-3:])}")
        return [*known, result]

    tensor = f'R.Tensor(({rows}, {columns}), "float32")'
    known = block(["x", "y"], 0, "        ")
    known = choice(0, known, 0, "        ")
    known = block([*known[-3:], "x"], 1, "        ")
    end = f"        return ({known[-1]}, {known[-2]})" if draw.random() < 0.3 else f"        return {known[-1]}"
    bools = ", ".join(f'c{k}: R.Tensor((), "bool")' for k in range(3))
    return "\n".join([
        "@I.ir_module", "class M:", "    @R.function", f"    def inner(a: {tensor}, b: {tensor}) -> {tensor}:",
        "        p = R.multiply(a, b)", "        q = R.nn.relu(p)", "        r = R.add(q, a)", "        return r",
        "    @R.function", f"    def main(x: {tensor}, y: {tensor}, {bools}):", *lines, end])


class Branches(unittest.TestCase):
    def test_random_modules(self):
        """Against the same module without any planner, on every way through it."""
        failing, better, differ = 0, 0, 0
        for seed in range(40):
            text = source(random.Random(seed))
            mod = from_source(HEAD + text)
            unplanned = relax.transform.StaticPlanBlockMemory
            relax.transform.StaticPlanBlockMemory = lambda: tvm.transform.Sequential([])
            try:
                plain = compiled(mod)
            finally:
                relax.transform.StaticPlanBlockMemory = unplanned
            program, report = planned(mod)
            main = next(p for p in report if p.function == "main")
            failing += main.before is None
            better += main.kept == "memplan"
            draw = np.random.default_rng(seed)
            x, y = (draw.standard_normal((16, 24)).astype("float32") for _ in range(2))
            seen = set()
            for k in range(8):
                bools = [np.array(bool(k >> bit & 1)) for bit in range(3)]
                want, _ = run(plain, [x, y, *bools])
                got, _ = run(program, [x, y, *bools])
                self.assertTrue(same(want, got), (seed, k, text))
                seen.add(b"".join(a.tobytes() for a in got))
            differ += len(seen) > 1
        print(f"\n40 modules with If: equal bits on 8 ways each, {better} in an arena; TVM's own planner fails on {failing}")
        self.assertGreaterEqual(better, 30)
        self.assertGreaterEqual(differ, 20)  # the branches do matter


SMALL = """
# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((SHAPE), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 32}})
        BOUND
        a = R.nn.relu(x)
        b = R.concat([a, a, a], axis=1)
        c = R.exp(R.negative(b))
        d = R.add(R.sum(c, axis=1, keepdims=True), a)
        e = R.concat([d, a], axis=1)
        return R.nn.relu(e)
"""

DEVICES = """
# from tvm.script import ir as I
# from tvm.script import relax as R
@I.ir_module
class M:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0), I.vdevice("llvm", 1)]})
    @R.function
    def main(x: R.Tensor((32, 64), "float32", "llvm:0")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.concat([a, a, a], axis=1)
            c = R.exp(R.negative(b))
            e = R.to_vdevice(c, "llvm:1")
            f = R.concat([e, R.sin(e), e], axis=1)
            g = R.nn.relu(R.exp(R.negative(f)))
            h = R.to_vdevice(R.sum(g, axis=1), "llvm:0")
            i = R.add(h, R.sum(a, axis=1))
            R.output(i)
        return i
"""


def small(shape="32, 64", bound=""):
    return from_source(SMALL.replace("SHAPE", shape).replace("BOUND", bound))


INPUT = np.random.default_rng(3).standard_normal((32, 64)).astype("float32")


def lowered(mod, target):
    """As far as planning, by TVM's default pipeline."""
    t = relax.transform
    with tvm.target.Target(target), memplan.tvm.planning() as report:
        passes = [t.LegalizeOps(), t.ToNonDataflow(), t.RemovePurityChecking(), t.CallTIRRewrite(), t.StaticPlanBlockMemory()]
        return tvm.transform.Sequential(passes)(mod), report


class Rest(unittest.TestCase):
    def test_targets(self):
        for target in ("llvm", "c", "cuda", "rocm", {"kind": "hexagon", "mcpu": "hexagonv68"}):
            mod, (main,) = lowered(small(), target)
            self.assertEqual((main.kept, list(main.left.values())), ("memplan", ["it is returned"]), target)
            self.assertIn("ensure_zero_offset", str(mod))
        for target in ("vulkan", "metal", "opencl", "webgpu"):
            mod, (main,) = lowered(small(), target)
            self.assertEqual((main.kept, set(main.left.values()), main.plans), ("tvm", {f"a start cannot be shifted on {target}"}, {}))
            self.assertEqual(main.before, main.after)
            self.assertNotIn("ensure_zero_offset", str(mod))

    def test_neither(self):
        """TVM's plan does not hold, and the target is left alone: no plan is better than that one."""
        mod = from_source(HEAD + source(random.Random(23)))
        new, report = lowered(mod, "vulkan")
        main = next(p for p in report if p.function == "main")
        self.assertEqual((main.before, main.kept, main.plans), (None, "tvm", {}))
        self.assertIn("does not hold: ", main.fault)
        self.assertIn("not planned", str(report))
        self.assertNotIn("alloc_storage", str(new["main"]))

    def test_cuda_graphs(self):
        with tvm.transform.PassContext(config={"relax.backend.use_cuda_graph": True}):
            _, (main,) = lowered(small(), "cuda")
        self.assertEqual((main.kept, set(main.left.values())), ("tvm", {"CUDA graphs take over its memory"}))

    def test_bounds(self):
        """Planned at the bound, run below it and at it; above it the program stops before it writes."""
        mod = small("'n', 64", "n = T.int64()")
        program, (main,) = planned(mod)
        fixed, (of_fixed,) = planned(small())
        self.assertEqual((main.kept, main.after), ("memplan", of_fixed.after))
        for n in (1, 7, 32):
            want, _ = run(compiled(mod), [INPUT[:n]])
            got, _ = run(program, [INPUT[:n]])
            self.assertTrue(same(want, got), n)
        with self.assertRaisesRegex(Exception, "33|32"):
            relax.VirtualMachine(program, tvm.cpu())["main"](tvm.runtime.tensor(np.zeros((33, 64), "float32")))
        self.assertNotIn("larger", str(lowered(small(), "llvm")[0]))  # where nothing depends on it nothing is looked at
        self.assertIn("larger", str(lowered(mod, "llvm")[0]))
        _, (main,) = planned(small("'m', 64", "m = T.int64()"))
        self.assertEqual((main.kept, set(main.left.values())), ("tvm", {"its size has no bound"}))

    def test_broken_plans(self):
        """TVM compiles the plan with every offset 0, and computes something else; here it is found before TVM gets it."""
        plan = memplan.plan

        class Zero:
            def __init__(self, rows):
                self.rows, self.peak, self.bound, self.optimal = rows, max(size for _, _, size, _ in rows), 0, False

            def __iter__(self):
                return iter([0] * len(self.rows))

            __len__ = __iter__

        memplan.plan = lambda rows, **_: Zero(rows)
        check = memplan.tvm.check
        try:
            with self.assertRaisesRegex(RuntimeError, "is made over .* which is live"):
                planned(small())
            memplan.tvm.check = lambda *_: None
            with memplan.tvm.planning():
                program = compiled(small())
        finally:
            memplan.plan, memplan.tvm.check = plan, check
        want, _ = run(compiled(small()), [INPUT])
        got, _ = run(program, [INPUT])
        self.assertFalse(same(want, got))

    def test_devices(self):
        """An arena for each of two. TVM's own plan takes storages of the one for the other, and the program is refused."""
        mod = relax.transform.RealizeVDevice()(from_source(DEVICES))

        def result(program):
            machine = relax.VirtualMachine(program, [tvm.cpu(0), tvm.cpu(1)])
            return machine["main"](tvm.runtime.tensor(INPUT)).numpy()
        with self.assertRaisesRegex(ValueError, "device_id"):
            result(compiled(mod))
        program, (main,) = planned(mod)
        self.assertEqual((main.kept, sorted(main.plans), main.before), ("memplan", [0, 1], None))
        self.assertIn("its plan does not hold", main.fault)
        a = np.maximum(INPUT, 0)
        e = np.exp(-np.concatenate([a, a, a], axis=1))
        f = np.concatenate([e, np.sin(e), e], axis=1)
        np.testing.assert_allclose(result(program), np.maximum(np.exp(-f), 0).sum(axis=1) + a.sum(axis=1), rtol=1e-4)

    def test_own_pipeline(self):
        report = memplan.tvm.Report()
        t = relax.transform
        pipeline = tvm.transform.Sequential([
            t.LegalizeOps(), t.RewriteDataflowReshape(), t.ToNonDataflow(), t.RemovePurityChecking(), t.CallTIRRewrite(),
            memplan.tvm.plan_block_memory(report), t.LowerAllocTensor(), t.KillAfterLastUse(), t.LowerRuntimeBuiltin(),
            t.ComputePrimValue(), t.VMShapeLower(), t.AttachGlobalSymbol()])
        got, _ = run(compiled(small(), pipeline), [INPUT])
        want, _ = run(compiled(small()), [INPUT])
        self.assertTrue(same(want, got))
        self.assertEqual([p.kept for p in report], ["memplan"])
        self.assertIn("tensors planned, optimal", str(report))

    def test_the_page(self):
        page = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "tvm.md").read_text()
        code, says = page.split("```python\n")[1].split("```")[0], page.split("```\n")[2]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, {})
        self.assertEqual(out.getvalue(), says)

    def test_nothing_came_by(self):
        with memplan.tvm.planning() as report:
            pass
        self.assertIn("no function came by", str(report))
        self.assertIsNot(relax.transform.StaticPlanBlockMemory, report)


if __name__ == "__main__":
    unittest.main()
