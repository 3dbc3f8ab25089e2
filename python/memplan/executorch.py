"""A planner for ExecuTorch's exporter (PyPI executorch 1.5).

    from memplan.executorch import memory_planning_pass
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=memory_planning_pass()))

plans every arena of a program when it is exported, in place of the exporter's greedy rule, and proves how small it can be.
ExecuTorch does not check what a planner says. Here memplan verifies each plan before it gives it, and what the exporter is
given is looked over once more for tensors that are live together.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import memplan

__all__ = ["Planner", "memory_planning_pass"]


class _Group:
    """A tensor, and those whose bytes lie inside its own: one buffer, live while any is."""

    def __init__(self, name: str, root: Any) -> None:
        self.name = name
        self.first, self.last = root.lifetime  # steps, both included
        self.size: int = root.allocated_memory
        self.members: List[Tuple[Any, int]] = [(root, 0)]
        self.uses = 0
        self.memory = 1
        self.offset = 0

    def add(self, spec: Any, inside: int) -> None:
        self.members.append((spec, inside))
        self.first, self.last = min(self.first, spec.lifetime[0]), max(self.last, spec.lifetime[1])
        self.size = max(self.size, inside + spec.allocated_memory)


class Planner:
    """An algorithm for MemoryPlanningAlgorithmSuite.

    memories: what the arenas are called, the fastest first, and how many bytes each holds, None for no limit:
        {"sram": 256 * 1024, "dram": None}; they are the runtime's arenas 1, 2, ... Tensors then go where the least traffic is
        outside the first arena, proven within the time limit: each instruction that names a tensor moves its bytes once.
        Without it all lie in arena 1. A tensor whose mem_id is set stays in that arena.
    time_limit: seconds for each arena.
    plans: what memplan said, a memplan.Plan an arena (or one for all memories), in the order planned.

    Raises memplan.Error where there is no plan: memplan.Refused where it is proven that none fits.
    """

    def __init__(self, memories: Optional[Mapping[str, Optional[int]]] = None, time_limit: Optional[float] = 60.0) -> None:
        self.memories = memories
        self.time_limit = time_limit
        self.plans: List[memplan.Plan] = []
        self.__name__ = "memplan"  # the suite asks for it

    def __call__(self, alignment: int, specs: Iterable[Any], graph_module: Any, graph_signature: Any, extra_padding: int = 0) -> Any:
        from executorch.exir.memory_planning import MemoryAlgoResult, SpecAllocResult

        specs = list(specs)
        groups = _groups(specs, graph_module, alignment)
        reserved = [_up(size, alignment) for size in getattr(graph_module, "input_mem_buffer_sizes", None) or []]
        count = max([2, len(reserved), len(self.memories or ()) + 1, *(g.memory + 1 for g in groups)])
        reserved += [0] * (count - len(reserved))
        if self.memories is None:
            for memory in sorted({g.memory for g in groups}):
                self._arena([g for g in groups if g.memory == memory], reserved[memory], alignment)
        elif groups:
            self._spread(groups, reserved, alignment, extra_padding)
        sizes = list(reserved)
        for g in groups:
            sizes[g.memory] = max(sizes[g.memory], g.offset + g.size)
        sizes = [size + extra_padding if size else 0 for size in sizes]
        _check(groups, reserved, sizes)
        # What the program does not hold gets a place too, since the exporter asks whether it has one.
        placed = {spec: SpecAllocResult(1, 0, 0) for spec in specs}
        placed.update((s, SpecAllocResult(g.memory, 0, g.offset + inside)) for g in groups for s, inside in g.members)
        return MemoryAlgoResult(placed, sizes)

    def _arena(self, groups: Sequence[_Group], start: int, alignment: int) -> None:
        """Plans one arena, above start."""
        plan = memplan.plan([(g.name, g.first, g.last + 1, g.size, alignment) for g in groups], time_limit=self.time_limit)
        self.plans.append(plan)
        for g in groups:
            g.offset = start + plan.offsets[g.name]

    def _spread(self, groups: Sequence[_Group], reserved: Sequence[int], alignment: int, padding: int) -> None:
        """Plans all memories at once: which tensor goes where, and at which offset."""
        assert self.memories is not None
        names = list(self.memories)
        pools: List[Dict[str, Any]] = []
        for k, (name, size) in enumerate(self.memories.items(), 1):
            pools.append({"id": name})
            if size is not None:
                pools[-1]["capacity"] = max(1, size - padding)  # 0 would be no limit
            if reserved[k]:
                pools[-1]["reserved"] = [[0, reserved[k]]]
        for g in groups:
            if any(s.mem_id is not None for s, _ in g.members) and g.memory > len(names):
                raise memplan.InputError(f"{g.name} is to be in memory {g.memory}, and there are {len(names)}")
        tensors = [{"id": g.name, "bytes": g.size, "alignment": alignment, "traffic": g.uses * g.size,
                    "pool": [names[g.memory - 1]] if any(s.mem_id is not None for s, _ in g.members) else names} for g in groups]
        steps = sorted({g.first for g in groups} | {g.last for g in groups})
        ops = [{"id": f"step {t}", "inputs": [g.name for g in groups if g.first < t == g.last],
                "outputs": [g.name for g in groups if g.first == t]} for t in steps]
        plan = memplan.plan({"schema": 1, "pools": pools, "tensors": tensors, "ops": ops}, time_limit=self.time_limit)
        self.plans.append(plan)
        where = plan.raw.get("pools", {})
        for g in groups:
            g.memory = 1 + names.index(where.get(g.name, names[0]))
            g.offset = plan.offsets[g.name]


def memory_planning_pass(memories: Optional[Mapping[str, Optional[int]]] = None, time_limit: Optional[float] = 60.0, **options: Any) -> Any:
    """A MemoryPlanningPass that plans by Planner(memories, time_limit); options are the pass's own, as alloc_graph_input."""
    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite
    from executorch.exir.passes import MemoryPlanningPass

    return MemoryPlanningPass(memory_planning_algo=MemoryPlanningAlgorithmSuite([Planner(memories, time_limit)]), **options)


def _up(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _specs(node: Any) -> List[Any]:
    """The tensors that a node stands for."""
    found, todo = [], [node.meta.get("spec")]
    while todo:
        spec = todo.pop(0)
        if isinstance(spec, (list, tuple)):
            todo[:0] = spec
        elif hasattr(spec, "allocated_memory"):
            found.append(spec)
    return found


def _groups(specs: Sequence[Any], graph_module: Any, alignment: int) -> List[_Group]:
    """The buffers to place. For each buffer that is changed the exporter also wants a tensor that only the output node has:
    the value is written into the buffer, and the program does not hold the tensor. It is left out."""
    names: Dict[Any, str] = {}
    uses: Dict[Any, int] = {}
    for node in graph_module.graph.nodes:
        if node.op == "output":
            continue
        for k, spec in enumerate(_specs(node)):
            names.setdefault(spec, node.name if k == 0 else f"{node.name}.{k}")
        named = {id(s): s for other in [node, *node.all_input_nodes] for s in _specs(other)}
        for spec in named.values():
            uses[spec] = uses.get(spec, 0) + (node.op == "call_function" and getattr(node.target, "__name__", "") != "alloc")
    groups: Dict[Any, _Group] = {}
    specs = [s for s in specs if s in names]
    for spec in specs:
        spec.realign(alignment)
    for number, spec in enumerate(s for s in specs if s.storage_base is None):
        groups[spec] = _Group(f"{number}:{names[spec]}", spec)
    for spec in specs:
        inside, base = 0, spec
        while base.storage_base is not None:
            inside, base = inside + base.storage_base_offset, base.storage_base
        if base not in groups:
            raise memplan.InputError(f"{names[spec]} lies in a tensor that is not planned")
        if inside % alignment:
            raise memplan.InputError(f"{names[spec]} lies {inside} bytes into {groups[base].name}, which is no multiple of {alignment}")
        if base is not spec:
            groups[base].add(spec, inside)
        groups[base].uses += uses[spec]
    for g in groups.values():
        pins = {s.mem_id for s, _ in g.members if s.mem_id is not None}
        if len(pins) > 1:
            raise memplan.InputError(f"{g.name}: parts of it are to be in the memories {sorted(pins)}")
        g.memory = pins.pop() if pins else 1
    return list(groups.values())


def _check(groups: Sequence[_Group], reserved: Sequence[int], sizes: Sequence[int]) -> None:
    """Raises memplan.Failure where two groups that are live together share a byte, or one is outside its memory."""
    for memory, size in enumerate(sizes):
        live: List[_Group] = []
        for g in sorted((g for g in groups if g.memory == memory and g.size), key=lambda g: (g.first, g.name)):
            live = [h for h in live if h.last >= g.first]
            for h in live:
                if g.offset < h.offset + h.size and h.offset < g.offset + g.size:
                    raise memplan.Failure(f"{g.name} and {h.name} are live together and share bytes of memory {memory}")
            if g.offset < reserved[memory] or g.offset + g.size > size:
                raise memplan.Failure(f"{g.name} lies outside memory {memory}")
            live.append(g)
