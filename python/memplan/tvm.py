"""A planner for TVM's Relax compiler (PyPI apache-tvm 0.27).

    with memplan.tvm.planning() as report:
        program = tvm.compile(mod, target="llvm")
    print(report)

plans what a function needs on the way into one arena, in place of TVM's own storages, and proves how small it can be. What
the pass writes it reads back, and goes over once more for tensors that are live together: TVM checks no plan.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple, Union

import tvm
from tvm import relax

import memplan

from ._steps import Branches, Step, Steps, Tensor, check, lives

__all__ = ["Planned", "Report", "plan_block_memory", "planning"]

#: Kernels want tensors that begin where their memory does. On these targets ensure_zero_offset shifts the start without a
#: copy, at multiples of ALIGNMENT bytes.
TARGETS = ("llvm", "c", "cuda", "rocm", "hexagon")
ALIGNMENT = 64
PAGE = 4096  # the runtime's pooled allocator takes whole ones

_Held = Union[FrozenSet[Tensor], Tuple["_Held", ...]]  # the tensors of a value: of each field, where it is a tuple
_NONE: FrozenSet[Tensor] = frozenset()


@dataclasses.dataclass
class Planned:
    """What became of a function. before and after are bytes that the runtime's pooled allocator takes for a call, in whole
    pages and with what is returned.

    before: by TVM's plan, None where its planner fails or the plan does not hold (fault says why) and is thrown away; after: by
    what is in the program now. kept: "memplan", or "tvm" where ours is no better.
    plans: by device. left: what was left to TVM, by name, and why.
    """

    function: str
    before: Optional[int]
    after: int
    kept: str
    plans: Dict[int, memplan.Plan]
    left: Dict[str, str]
    fault: str = ""

    def __str__(self) -> str:
        before = self.fault if self.before is None else f"{self.before:,} bytes"
        bounds = "optimal" if all(p.optimal for p in self.plans.values()) else f"bound {sum(p.bound for p in self.plans.values()):,}"
        lines = [f"@{self.function}", f"  TVM's own  {before}",
                 f"  now        {self.after:,} bytes, {sum(map(len, self.plans.values()))} tensors planned, {bounds}"
                 if self.kept == "memplan" else "  now        TVM's own: nothing less was found" if not self.fault else f"  now        {self.after:,} bytes, not planned"]
        reasons: Dict[str, List[str]] = {}
        for name, reason in self.left.items():
            reasons.setdefault(reason, []).append(name)
        lines += [f"  left       {', '.join(names)}: {reason}" for reason, names in reasons.items()]
        return "\n".join(lines)


class Report(List[Planned]):
    """A Planned for each Relax function that was compiled, in the order of their names."""

    def __str__(self) -> str:
        if not self:
            return "no function came by: was the pipeline made before planning() began?"
        return "\n".join(map(str, self)) + f"\ntried with apache-tvm 0.27.0.post1; this is {tvm.__version__}"


@contextlib.contextmanager
def planning(time_limit: Optional[float] = 60.0) -> Iterator[Report]:
    """Whatever is compiled inside is planned by memplan where TVM would plan, in every pipeline that asks for
    relax.transform.StaticPlanBlockMemory when it runs. time_limit: seconds for each arena."""
    report = Report()
    theirs = relax.transform.StaticPlanBlockMemory
    relax.transform.StaticPlanBlockMemory = lambda: plan_block_memory(report, time_limit, theirs())
    try:
        yield report
    finally:
        relax.transform.StaticPlanBlockMemory = theirs


def plan_block_memory(report: Optional[Report] = None, time_limit: Optional[float] = 60.0, theirs: Any = None) -> Any:
    """The pass itself, for a pipeline of your own: in the place of relax.transform.StaticPlanBlockMemory, which it runs on what
    it leaves. report: is added to. theirs: what to run in place of that one."""
    rest = theirs or relax.transform.StaticPlanBlockMemory()
    told = Report() if report is None else report

    def transform(mod: Any, context: Any) -> Any:
        graphs = bool(context.config.get("relax.backend.use_cuda_graph", False))
        new = mod.clone()
        for var in sorted(mod.get_global_vars(), key=lambda v: str(v.name_hint)):
            if isinstance(mod[var], relax.Function):
                new[var], planned = _function(mod, var, rest, time_limit, graphs)
                told.append(planned)
        return relax.transform.Normalize()(new)

    return tvm.transform.module_pass(transform, opt_level=0, name="MemplanBlockMemory")


def _function(mod: Any, var: Any, rest: Any, time_limit: Optional[float], graphs: bool) -> Tuple[Any, Planned]:
    """A function planned, by whoever needs less for it."""
    plain, devices = mod[var], _devices(mod, graphs)
    reading = _Reading(plain, devices)
    own, fault = _theirs(mod, var, plain, rest)
    planned = Planned(str(var.name_hint), None if fault else _taken(own), _taken(own), "tvm", {}, reading.left, fault)
    ours = reading.planned()
    try:
        sizes = _places(planned, ours, time_limit)
    except memplan.LimitReached as limit:
        planned.left.update((t.name, str(limit)) for t in ours)
        return own, planned
    if ours:
        written = _Writing(reading, sizes).function()
        check(_Reading(written, devices).steps)
        written, _ = _theirs(mod, var, written, rest)
        after = _taken(written)
        if fault or after < planned.after:
            planned.after, planned.kept = after, "memplan"
            return written, planned
    return own, planned


def _theirs(mod: Any, var: Any, function: Any, rest: Any) -> Tuple[Any, str]:
    """The function as TVM plans it; or as it is, and why, where TVM cannot. In functions with If it uses storages on
    ways that never made them, and with several devices those of another (TVM 0.27): such a plan is thrown away."""
    others = {v: f for v, f in mod.functions.items() if not isinstance(f, relax.Function)}
    alone = tvm.IRModule({**others, var: function}, attrs=mod.attrs, global_infos=mod.global_infos)
    try:
        planned = rest(alone)[var]
    except RuntimeError as fault:
        return function, f"its planner fails: {str(fault).strip().splitlines()[-1]}"
    try:
        check(_Reading(planned, lambda device: None).steps)
    except memplan.Failure as fault:
        return function, f"its plan does not hold: {fault}"
    return planned, ""


def _places(planned: Planned, tensors: Sequence[Tensor], time_limit: Optional[float]) -> Dict[int, int]:
    """Gives each tensor its offset in the arena of its device; the arenas' sizes."""
    sizes: Dict[int, int] = {}
    for device in sorted({t.device for t in tensors}):
        here = [t for t in tensors if t.device == device]
        plan = memplan.plan([(t.first, t.last + 1, t.size, ALIGNMENT) for t in here], time_limit=time_limit)
        planned.plans[device], sizes[device] = plan, plan.peak
        for tensor, offset in zip(here, plan):
            tensor.offset = offset
    return sizes


def _devices(mod: Any, graphs: bool) -> Callable[[int], Optional[str]]:
    """Why a device's tensors are left alone, or None where they need not be."""
    listed = list((mod.global_infos or {}).get("vdevice", []))
    current = tvm.target.Target.current(allow_none=True)

    def reason(device: int) -> Optional[str]:
        if graphs:
            return "CUDA graphs take over its memory"
        if device < 0:
            return "it lies on the host"
        target = listed[device].target if device < len(listed) else current
        if target is None:
            return "no target is known"
        kind = str(target.kind.name)
        return None if kind in TARGETS else f"a start cannot be shifted on {kind}"
    return reason


def _key(var: Any) -> int:
    """A variable by its place: TVM's own == may be an expression."""
    return int(var.__chandle__())


def _flat(held: _Held) -> FrozenSet[Tensor]:
    return held if isinstance(held, frozenset) else _NONE.union(*map(_flat, held))


def _either(one: _Held, other: _Held) -> _Held:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(map(_either, one, other))
    return _flat(one) | _flat(other)


def _may_hold(ty: Any) -> bool:
    """Whether a value of this type may hold a tensor."""
    if isinstance(ty, relax.TupleType):
        return any(map(_may_hold, ty.fields))
    return not isinstance(ty, (relax.ShapeType, tvm.ir.PrimType, tvm.ir.StringType))


class _Reading:
    """A function's steps, the tensors that it makes, and those that it returns.

    A call of a kernel gives nothing. What any other call gives may be made of any tensor that the call was given; a function
    that keeps a tensor for later without giving it back breaks TVM's own planning too.
    """

    def __init__(self, function: Any, devices: Callable[[int], Optional[str]]) -> None:
        self.function = function
        self.bounds = _Bounds(function)
        self.left: Dict[str, str] = {}
        self.tensors: Dict[int, Tensor] = {}  # by variable
        self.storages: Dict[int, int] = {}  # bytes by variable
        self._devices = devices
        self._held: Dict[int, _Held] = {}
        self._bound: Dict[int, int] = {}  # devices of the storages that every way to here has made
        self.steps, returned = self._sequence(function.body)
        self.returned = _flat(returned)

    def planned(self) -> List[Tensor]:
        """The tensors without a storage that are not returned, with their lives."""
        self.left.update((t.name, "it is returned") for t in self.tensors.values() if t in self.returned)
        return [t for t in lives(self.steps) if t.storage is None and t not in self.returned]

    def _sequence(self, sequence: Any) -> Tuple[Steps, _Held]:
        steps: Steps = []
        for block in sequence.blocks:
            for binding in block.bindings:
                steps += self._binding(binding.var, binding.value)
        held = self._value(sequence.body)
        steps.append(Step(None, _flat(held)))
        return steps, held

    def _binding(self, var: Any, value: Any) -> Steps:
        if isinstance(value, relax.If):
            bound = dict(self._bound)
            yes, one = self._sequence(value.true_branch)
            self._bound = dict(bound)
            no, other = self._sequence(value.false_branch)
            self._bound = bound
            self._held[_key(var)] = _either(one, other)
            return [Step(None, self._used(value.cond)), Branches([yes, no])]
        name = value.op.name if isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.Op) else ""
        if name == "relax.memory.alloc_storage":
            self.storages[_key(var)] = self.bounds.of(value.args[0]) or 0
            self._bound[_key(var)] = int(value.args[1].value)
        if name not in ("relax.builtin.alloc_tensor", "relax.memory.alloc_tensor"):
            held = self._held[_key(var)] = self._value(value)
            # A field is taken out of a tuple without a look at the others.
            return [Step(None, _flat(held) if isinstance(value, relax.TupleGetItem) else self._used(value))]
        made = self._alloc(var, value, name)
        if made is None:
            return []
        self.tensors[_key(var)] = made
        self._held[_key(var)] = frozenset([made])
        return [Step(made)]

    def _alloc(self, var: Any, call: Any, name: str) -> Optional[Tensor]:
        """The tensor that a call makes, or None where it is not looked at."""
        known = f"{len(self.tensors) + len(self.left)}:{var.name}"
        if name == "relax.memory.alloc_tensor":
            storage, offset, shape, dtype, device = call.args
            if self._bound.get(_key(storage)) != int(device.value):
                raise memplan.Failure(f"{known} lies in a storage that is not there")
            return Tensor(known, self.bounds.of(shape, dtype.value) or 0, int(device.value), _key(storage), int(offset.value))
        shape, dtype, device, scope = call.args
        size, reason = self.bounds.of(shape, dtype.value), self._devices(int(device.value))
        if scope.value != "global":
            reason = f"its memory is {scope.value}"
        elif size is None:
            reason = "its size has no bound"
        elif size == 0:
            reason = "it is empty"
        if reason is not None or size is None:
            self.left[known] = reason or ""
            return None
        return Tensor(known, size, int(device.value))

    def _value(self, value: Any) -> _Held:
        if isinstance(value, relax.Var):
            return self._held.get(_key(value), _NONE)
        if isinstance(value, relax.Tuple):
            return tuple(map(self._value, value.fields))
        if isinstance(value, relax.TupleGetItem):
            whole = self._value(value.tuple_value)
            return whole[value.index] if isinstance(whole, tuple) else whole
        return self._used(value) if _may_hold(value.ty) else _NONE

    def _used(self, value: Any) -> FrozenSet[Tensor]:
        return _NONE.union(*(_flat(self._held.get(_key(v), _NONE)) for v in relax.analysis.all_vars(value)))


class _Bounds:
    """Sizes in bytes, at the bounds of a function's attribute tir_var_upper_bound."""

    def __init__(self, function: Any) -> None:
        named = {str(k): int(v) for k, v in (function.attrs or {}).get("tir_var_upper_bound", {}).items()}
        self.vars: List[Tuple[Any, int]] = []
        self._analyzer = tvm.sym.Analyzer()
        for dim in (d for p in function.params for d in _dims(p.ty)):
            if isinstance(dim, relax.Var) and str(dim.name) in named and not any(dim.same_as(v) for v, _ in self.vars):
                bound = named[str(dim.name)]
                self.vars.append((dim, bound))
                self._analyzer.update(dim, tvm.sym.ConstIntBound(0, bound))

    def of(self, shape: Any, dtype: str = "uint8") -> Optional[int]:
        """Bytes of a tensor of this shape, None where there is no bound. Those of a storage are its shape."""
        if not isinstance(shape, relax.ShapeExpr):
            return None
        count = 1
        for dim in shape.values:
            most = int(self._analyzer.const_int_bound(dim).max_value)
            if most >= tvm.sym.ConstIntBound.POS_INF:
                return None
            count *= max(0, most)
        kind = tvm.DataType(dtype)
        return (count * int(kind.bits) * int(kind.lanes) + 7) // 8


def _dims(ty: Any) -> Iterator[Any]:
    """The dimensions in a parameter's type."""
    if isinstance(ty, relax.TupleType):
        for field in ty.fields:
            yield from _dims(field)
    elif isinstance(ty, relax.TensorType) and isinstance(ty.shape, relax.ShapeExpr):
        yield from ty.shape.values
    elif isinstance(ty, relax.ShapeType):
        yield from ty.values or []


class _Writing:
    """A function with its tensors in arenas. A size beyond its bound is refused when the program runs: in an arena it would
    reach into the next tensor."""

    def __init__(self, reading: _Reading, sizes: Dict[int, int]) -> None:
        self._reading = reading
        self._arenas = {d: relax.Var(f"arena{d}", relax.AnyType()) for d in sizes}
        self._sizes = sizes
        self._dynamic = False  # whether what is planned has sizes that only the run knows

    def function(self) -> Any:
        f = self._reading.function
        blocks = self._sequence(f.body).blocks
        first = [b for var, bound in self._reading.bounds.vars if self._dynamic for b in self._within(var, bound)]
        first += [relax.VarBinding(arena, relax.op.memory.alloc_storage(relax.ShapeExpr([self._sizes[d]]), d, "global", "uint8"))
                  for d, arena in self._arenas.items()]
        body = relax.SeqExpr([relax.BindingBlock(first), *blocks], f.body.body)
        written = relax.Function(f.params, body, f.ret_ty, f.is_pure, f.attrs, f.span)
        return relax.transform.Normalize()(tvm.IRModule({"main": written}))["main"]

    def _within(self, var: Any, bound: int) -> List[Any]:
        most = tvm.tirx.const(bound, "int64")
        larger = relax.ShapeExpr([tvm.tirx.max(var, most)])
        named, fits = relax.Var("larger", larger.ty), relax.Var("fits", relax.ShapeType([most]))
        return [relax.VarBinding(named, larger), relax.MatchCast(fits, named, fits.ty)]

    def _sequence(self, sequence: Any) -> Any:
        return relax.SeqExpr([relax.BindingBlock([b for old in block.bindings for b in self._binding(old)]) for block in sequence.blocks],
                             sequence.body)

    def _binding(self, binding: Any) -> List[Any]:
        value = binding.value
        if isinstance(value, relax.If):
            branches = self._sequence(value.true_branch), self._sequence(value.false_branch)
            return [relax.VarBinding(binding.var, relax.If(value.cond, *branches))]
        tensor = self._reading.tensors.get(_key(binding.var))
        if tensor is None or tensor.storage is not None or tensor in self._reading.returned:
            return [binding]
        shape, dtype, device, _ = value.args
        self._dynamic |= not all(isinstance(dim, tvm.tirx.IntImm) for dim in shape.values)
        placed = relax.Var(f"{binding.var.name}_placed", binding.var.ty)
        return [relax.VarBinding(placed, relax.op.memory.alloc_tensor(self._arenas[tensor.device], tensor.offset, shape, dtype, device)),
                relax.VarBinding(binding.var, relax.op.memory.ensure_zero_offset(placed))]


def _taken(function: Any) -> int:
    """Bytes that the runtime's pooled allocator takes for a call: a block is given back when nothing in it is used any more, and
    serves again what wants as many pages. Branches count one after the other."""
    reading = _Reading(function, lambda device: None)
    lives(reading.steps)
    blocks: Dict[Tuple[int, int], List[int]] = {}  # size, first and last step
    for k, tensor in enumerate(reading.tensors.values()):
        last = sys.maxsize if tensor in reading.returned else tensor.last
        own = tensor.storage is None
        block = blocks.setdefault((0, k) if own else (1, tensor.storage or 0),
                                  [tensor.size if own else reading.storages[tensor.storage or 0], tensor.first, last])
        block[1:] = min(block[1], tensor.first), max(block[2], last)
    taken = 0
    free: List[int] = []
    held: List[Tuple[int, int]] = []
    for size, first, last in sorted(blocks.values(), key=lambda b: b[1]):
        size = -(-size // PAGE) * PAGE
        free += [s for s, until in held if until < first]
        held = [(s, until) for s, until in held if until >= first] + [(size, last)]
        if size in free:
            free.remove(size)
        else:
            taken += size
    return taken
