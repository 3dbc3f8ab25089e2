"""The planner for ExecuTorch's exporter, on stand-ins for what the exporter gives; executorch_check.py has the real one."""

import dataclasses
import sys
import types
import unittest
from typing import Any

import memplan


@dataclasses.dataclass
class Allocation:
    mem_id: int
    mem_obj_id: int
    mem_offset: int


@dataclasses.dataclass
class Result:
    spec_dict: Any
    bufsizes: Any


class Suite:
    def __init__(self, algo_list):
        self.algo_list = algo_list


class Pass:
    def __init__(self, memory_planning_algo, **options):
        self.memory_planning_algo, self.options = memory_planning_algo, options


def stand_in(name, **members):
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    sys.modules[name] = module


stand_in("executorch")
stand_in("executorch.exir")
stand_in("executorch.exir.memory_planning", MemoryAlgoResult=Result, SpecAllocResult=Allocation, MemoryPlanningAlgorithmSuite=Suite)
stand_in("executorch.exir.passes", MemoryPlanningPass=Pass)

from memplan.executorch import Planner, _check, _Group, memory_planning_pass  # noqa: E402


class Spec:
    def __init__(self, first, last, size, mem_id=None, base=None, inside=0):
        self.lifetime, self.size, self.mem_id = [first, last], size, mem_id
        self.storage_base, self.storage_base_offset, self.allocated_memory = base, inside, size

    def realign(self, alignment):
        self.allocated_memory = -(-self.size // alignment) * alignment


class Node:
    def __init__(self, name, spec, *inputs, op="call_function"):
        self.name, self.op, self.target, self.meta, self.all_input_nodes = name, op, name, {"spec": spec}, list(inputs)


def module(*nodes, **more):
    return types.SimpleNamespace(graph=types.SimpleNamespace(nodes=nodes), **more)


def planned(planner, specs, nodes=None, alignment=16, padding=0, **more):
    nodes = nodes or [Node(f"n{k}", spec) for k, spec in enumerate(specs)]
    result = planner(alignment, specs, module(*nodes, **more), None, padding)
    return result.bufsizes, [(result.spec_dict[s].mem_id, result.spec_dict[s].mem_offset) for s in specs]


class Plans(unittest.TestCase):
    def test_chain(self):
        planner = Planner()
        sizes, places = planned(planner, [Spec(0, 1, 100), Spec(1, 2, 30), Spec(2, 3, 100)])
        self.assertEqual(sizes, [0, 112 + 32])
        self.assertEqual(len({offset for _, offset in places}), 2)
        self.assertTrue(planner.plans[0].optimal)

    def test_nothing(self):
        self.assertEqual(planned(Planner(), []), ([0, 0], []))

    def test_padding_submodules_and_pins(self):
        specs = [Spec(0, 2, 64), Spec(0, 2, 64, mem_id=3), Spec(1, 2, 32, mem_id=3)]
        sizes, places = planned(Planner(), specs, padding=64, input_mem_buffer_sizes=[0, 40])
        self.assertEqual(sizes, [0, 48 + 64 + 64, 0, 96 + 64])
        self.assertEqual([mem for mem, _ in places], [1, 3, 3])
        self.assertEqual(places[0][1], 48)

    def test_storage_bases(self):
        base = Spec(1, 2, 128)
        part = Spec(0, 4, 32, base=base, inside=64)
        inner = Spec(0, 1, 16, base=part, inside=16)
        other = Spec(3, 4, 16)
        sizes, places = planned(Planner(), [base, part, inner, other])
        self.assertEqual(places[1][1] - places[0][1], 64)
        self.assertEqual(places[2][1] - places[1][1], 16)
        self.assertEqual(sizes, [0, 144])  # all of it lives while any part does
        with self.assertRaisesRegex(memplan.InputError, "no multiple of 16"):
            planned(Planner(), [base, Spec(0, 1, 16, base=base, inside=8)])

    def test_phantoms(self):
        cache, new, phantom = Spec(0, 9, 64), Spec(1, 9, 64), Spec(9, 9, 64)
        x = Node("cache", cache, op="placeholder")
        y = Node("new", new, x)
        nodes = [x, y, Node("copy_", cache, x, y), Node("output", [phantom], op="output")]
        sizes, places = planned(Planner(), [cache, new, phantom], nodes)
        self.assertEqual(sizes, [0, 128])
        self.assertEqual(places[2], (1, 0))

    def test_memories(self):
        # Two of three fit into the fast memory; the one that is used least goes to the slow one.
        a, b, c = Spec(0, 3, 64), Spec(0, 3, 64), Spec(0, 3, 64)
        x, y, z = Node("a", a), Node("b", b), Node("c", c)
        nodes = [x, y, z, Node("f", Spec(1, 2, 0), x, y), Node("g", Spec(2, 3, 0), x, z), Node("h", Spec(2, 3, 0), z)]
        specs = [a, b, c]
        sizes, places = planned(Planner({"sram": 128, "dram": None}), specs, nodes)
        self.assertEqual((sizes, [mem for mem, _ in places]), ([0, 128, 64], [1, 2, 1]))
        b.mem_id = 1  # a pin
        sizes, places = planned(Planner({"sram": 128, "dram": None}), specs, nodes)
        self.assertEqual((sizes, places[1][0], places[0][0] + places[2][0]), ([0, 128, 64], 1, 3))
        no = (memplan.Refused, memplan.LimitReached)  # a proof, or HiGHS's word alone
        with self.assertRaises(no):
            planned(Planner({"sram": 100, "dram": 64}), specs, nodes)
        with self.assertRaises(no):  # the padding counts
            planned(Planner({"sram": 128, "dram": 64}), specs, nodes, padding=64)
        b.mem_id = 4
        with self.assertRaisesRegex(memplan.InputError, "memory 4, and there are 2"):
            planned(Planner({"sram": 128, "dram": None}), specs, nodes)

    def test_check_objects(self):
        a, b = _Group("a", Spec(0, 2, 16)), _Group("b", Spec(2, 3, 16))
        with self.assertRaisesRegex(memplan.Failure, "live together and share bytes of memory 1"):
            _check([a, b], [0, 0], [0, 32])
        b.offset = 16
        _check([a, b], [0, 0], [0, 32])
        with self.assertRaisesRegex(memplan.Failure, "outside memory 1"):
            _check([a, b], [0, 0], [0, 31])

    def test_pass(self):
        made = memory_planning_pass(time_limit=5, alloc_graph_input=False)
        (planner,) = made.memory_planning_algo.algo_list
        self.assertEqual((planner.time_limit, planner.__name__, made.options), (5, "memplan", {"alloc_graph_input": False}))


if __name__ == "__main__":
    unittest.main()
