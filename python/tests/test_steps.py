"""Lives of tensors in functions with branches, against every way through them; what needs TVM itself is in tvm_check.py."""

import random
import unittest

import memplan
from memplan._steps import Branches, Step, Tensor, check, lives


def ways(steps):
    """Every way through the branches, as a list of steps."""
    found = [[]]
    for step in steps:
        parts = [[step]] if isinstance(step, Step) else [way for part in step.parts for way in ways(part)]
        found = [way + part for way in found for part in parts]
    return found


def meetings(steps):
    """Pairs of tensors that are live together on some way: one is made when the other was, and is used once more."""
    pairs = set()
    for way in ways(steps):
        for at, step in enumerate(way):
            if step.made is None:
                continue
            before = {s.made for s in way[:at] if s.made is not None}
            for other in before:
                if any(other in s.used for s in way[at:]):
                    pairs.add(frozenset([step.made, other]))
    return pairs


def program(draw, known, depth=0):
    """Steps that use only what was made before them on every way; a value out of branches is any of theirs."""
    steps = []
    for _ in range(draw.randrange(1, 5)):
        if depth < 2 and draw.random() < 0.3:
            parts, results = [], set()
            for _ in range(2):
                part, inner = program(draw, list(known), depth + 1)
                result = draw.choice(inner) if inner else frozenset()
                parts.append([*part, Step(None, result)])
                results |= result
            steps.append(Branches(parts))
            known.append(frozenset(results))
        else:
            tensor = Tensor(f"t{draw.random()}", 1)
            used = frozenset().union(*draw.sample(known, min(len(known), draw.randrange(3))))
            steps += [Step(tensor), Step(None, used | {tensor})]
            known.append(frozenset([tensor]))
    return steps, known


def all_made(steps):
    return list(dict.fromkeys(s.made for way in ways(steps) for s in way if s.made is not None))


class Lives(unittest.TestCase):
    def test_random_programs(self):
        draw, found, refused = random.Random(1), 0, 0
        for _ in range(400):
            steps, _ = program(draw, [])
            tensors, pairs = all_made(steps), meetings(steps)
            self.assertEqual(set(lives(steps)), set(tensors))
            for k, tensor in enumerate(tensors):
                tensor.storage, tensor.offset = 1, k
            check(steps)  # all apart
            for a, b in (sorted(pair, key=tensors.index) for pair in pairs):
                self.assertTrue(a.first <= b.last and b.first <= a.last)
                kept, b.offset = b.offset, a.offset
                with self.assertRaises(memplan.Failure):
                    check(steps)
                b.offset = kept
                found += 1
            for tensor in tensors:  # what never meets may share all of its bytes
                for other in tensors:
                    if tensor is not other and frozenset([tensor, other]) not in pairs:
                        kept, other.offset = other.offset, tensor.offset
                        try:
                            check(steps)
                        except memplan.Failure:
                            refused += 1  # both out of branches: which of them it is, only the run knows
                        other.offset = kept
        self.assertGreater(found, 2000)
        self.assertEqual(refused, 0)

    def test_branches_share(self):
        x, a, b = Tensor("x", 64), Tensor("a", 64), Tensor("b", 64)
        steps = [Step(x), Branches([[Step(a), Step(None, frozenset([a, x]))], [Step(b), Step(None, frozenset([b]))]])]
        lives(steps)
        plan = memplan.plan([(t.first, t.last + 1, t.size) for t in (x, a, b)])
        self.assertEqual(plan.peak, 128)

    def test_storages_of_their_own(self):
        x, y = Tensor("x", 64), Tensor("y", 64)
        steps = [Step(x), Step(y), Step(None, frozenset([x, y]))]
        check(steps)
        x.storage, y.storage = 1, 2
        check(steps)
        y.storage = 1
        with self.assertRaisesRegex(memplan.Failure, "y is made over x, which is live"):
            check(steps)


if __name__ == "__main__":
    unittest.main()
