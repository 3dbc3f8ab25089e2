"""Checks certificates after verify/PROOFS.md: python3 check.py INSTANCE.csv CERTIFICATES.json [NUMBER]

Prints "accepted", or "rejected: why" and exits with 1. Slow and short on purpose; standard library only.
"""
import csv
import functools
import json
import math
import sys

import trees
from trees import Rejected

MOST = 1 << 60


class Contradiction(Exception):
    pass


def need(holds, why):
    if not holds:
        raise Rejected(why)


def read(path):
    """The rows of an instance, live parts, size, alignment, pin, root and distance of a tie, and its pairs."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    ids = {r["id"]: k for k, r in enumerate(rows)}
    pairs = trees.over([r.get("over") for r in rows], ids)
    pins = {r["id"]: int(r["offset"]) for r in rows if r.get("offset")}
    for r in rows:
        root, _, delta = (r.get("tie") or "").rpartition("+")
        if root in pins:
            pins[r["id"]] = pins[root] + int(delta)
    out = []
    for r in rows:
        root, _, delta = (r.get("tie") or "").rpartition("+")
        parts, start = [], int(r["lower"])
        for gap in (r.get("gaps") or "").split():
            at = gap.index("-", 1)
            parts.append((start, int(gap[:at])))
            start = int(gap[at + 1:])
        parts.append((start, int(r["upper"])))
        out.append(([p for p in parts if p[0] < p[1]], int(r["size"]), int(r.get("alignment") or 1), pins.get(r["id"]),
                    ids.get(root), int(delta or 0)))
    return out, pairs


def bits(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Scene:
    def __init__(self, rows, r):
        height, (start, end), chosen = r["height"], r["window"], r["buffers"]
        need(all(type(x) is int for x in [height, start, end, *chosen]), "not an integer")
        need(0 <= height <= MOST and len(chosen) <= 2048, "height or number of buffers")
        need(len(set(chosen)) == len(chosen) and all(0 <= i < len(rows) for i in chosen), "buffers")
        n = self.n = len(chosen)
        live = [[(max(a, start), min(b, end)) for a, b in rows[i][0] if max(a, start) < min(b, end)] for i in chosen]
        need(all(live), "a buffer that is not live in the window")
        live = [parts if rows[i][1] else [] for parts, i in zip(live, chosen)]
        unit = functools.reduce(math.gcd, (rows[i][2] for i in chosen), 0) or 1
        need(unit <= MOST, "alignment")
        up = lambda x: -(-x // unit) * unit
        self.align = [rows[i][2] for i in chosen]
        self.size = [up(rows[i][1]) for i in chosen]
        room = [height - rows[i][1] for i in chosen]
        pin = [rows[i][3] for i in chosen]
        self.lo = [p or 0 for p in pin]
        self.hi = [h - h % a if p is None else p for h, a, p in zip(room, self.align, pin)]
        self.dead = any(h < 0 or hi > h for h, hi in zip(room, self.hi))
        self.height = up(height)
        self.gone = 0
        steps = sorted({t for parts in live for part in parts for t in part})
        sets = [sum(1 << i for i in range(n) if any(a <= t < b for a, b in live[i])) for t in steps]
        sets = [s for s in sets if s]
        if self.plain() and not self.dead:
            self.gone = functools.reduce(lambda a, b: a & b, sets, (1 << n) - 1)
            self.height -= sum(self.size[i] for i in bits(self.gone))
            self.hi = [self.height - z for z in self.size]
            self.dead = self.height < 0 or any(self.hi[i] < 0 for i in range(n) if not self.gone >> i & 1)
            sets = [s & ~self.gone for s in sets]
        sets = list(dict.fromkeys(sets))
        self.cliques = [list(bits(s)) for s in sets if s and not any(s != o and s & o == s for o in sets)]
        self.conflict = [0] * n
        for s in sets:
            for i in bits(s):
                self.conflict[i] |= s & ~(1 << i)
        self.known = [(i, j) for i in range(n) for j in bits(self.conflict[i]) if i < j and self.twins(i, j)]
        if r.get("flip") is not None:
            kind, i, j = r["flip"]
            self.claim(r["flip"])
            need(kind == "below" and self.plain(), "flip")
            need(not any(t in pair for pair in self.known for t in (i, j)), "flip of a twin")
            self.known.append((i, j))

    def plain(self):
        return all(a == self.align[0] and lo == 0 and hi == self.height - z
                   for a, lo, hi, z in zip(self.align, self.lo, self.hi, self.size))

    def twins(self, i, j):
        alike = all(x[i] == x[j] for x in (self.size, self.align, self.lo, self.hi))
        return alike and self.conflict[i] & ~(1 << j) == self.conflict[j] & ~(1 << i)

    def balances(self):
        for j in range(self.n):
            own = [set(c) for c in self.cliques if j in c]
            near = [(a, b) for k, a in enumerate(own) for b in own[k + 1:k + 4]]
            for first, second in near + [(b, a) for a, b in near]:
                leave, come = first - second, second - first
                most = self.height - sum(self.size[k] for k in second & first)
                if sum(self.size[k] for k in leave | come) > most:
                    yield j, leave, come, most

    def claim(self, c):
        kind, i, x = c
        need(type(i) is int and type(x) is int, "not an integer")
        need(0 <= i < self.n and not self.gone >> i & 1, "a claim about no buffer")
        if kind == "below":
            need(0 <= x < self.n and self.conflict[i] >> x & 1, "an order of buffers that do not conflict")
        else:
            need(kind in ("at_least", "at_most") and 0 <= x <= MOST, "a claim of no kind")


class Theory:
    def __init__(self, scene):
        self.s, self.lo, self.hi = scene, list(scene.lo), list(scene.hi)
        self.above = [0] * scene.n
        self.lemmas = []
        self.balances = list(scene.balances())

    def put(self, i, j):
        if i == j or self.above[j] >> i & 1:
            raise Contradiction
        self.changed |= not self.above[i] >> j & 1
        self.above[i] |= 1 << j

    def raise_(self, i, x):
        x = -(-x // self.s.align[i]) * self.s.align[i]
        if x > self.lo[i]:
            self.lo[i], self.changed = x, True
        if self.lo[i] > self.hi[i]:
            raise Contradiction

    def lower(self, i, x):
        if x < self.hi[i]:
            self.hi[i], self.changed = x - x % self.s.align[i], True
        if self.lo[i] > self.hi[i] or self.hi[i] < 0:
            raise Contradiction

    def assume(self, claim):
        kind, i, x = claim
        {"below": self.put, "at_least": self.raise_, "at_most": self.lower}[kind](i, x)

    def false(self, claim):
        kind, i, x = claim
        return self.above[x] >> i & 1 if kind == "below" else self.hi[i] < x if kind == "at_least" else self.lo[i] > x

    def close(self):
        self.changed = True
        while self.changed:
            self.changed = False
            self.pairs()
            for balance in self.balances:
                self.balance(*balance)
            for c in self.s.cliques:
                self.sums(c)
                self.spaces(c)
            for lemma in self.lemmas:
                open_ = [c for c in lemma if not self.false(c)]
                if not open_:
                    raise Contradiction
                if len(open_) == 1:
                    self.assume(open_[0])

    def pairs(self):
        z = self.s.size
        for i in range(self.s.n):
            for j in bits(self.s.conflict[i]):
                if self.lo[i] + z[i] > self.hi[j]:
                    self.put(j, i)
            for j in bits(self.above[i]):
                self.raise_(j, self.lo[i] + z[i])
                self.lower(i, self.hi[j] - z[i])
                for k in bits(self.above[j] & ~self.above[i]):
                    self.put(i, k)

    def balance(self, j, leave, come, most):
        z = self.s.size
        room = most - sum(z[k] for k in leave if self.above[k] >> j & 1) - sum(z[k] for k in come if self.above[j] >> k & 1)
        if room < 0:
            raise Contradiction
        for k in leave:
            if z[k] > room and not self.above[k] >> j & 1:
                self.put(j, k)
        for k in come:
            if z[k] > room and not self.above[j] >> k & 1:
                self.put(k, j)

    def sums(self, clique):
        z, end = self.s.size, lambda i: self.hi[i] + self.s.size[i]
        for j in clique:
            total = 0
            for k in sorted((k for k in clique if self.above[k] >> j & 1), key=lambda k: -self.lo[k]):
                total += z[k]
                self.raise_(j, self.lo[k] + total)
            total = z[j]
            for k in sorted((k for k in clique if self.above[j] >> k & 1), key=end):
                total += z[k]
                self.lower(j, end(k) - total)

    def spaces(self, clique):
        z, lo = self.s.size, self.lo
        end = {i: self.hi[i] + z[i] for i in clique}
        by_lo = sorted(clique, key=lambda i: -lo[i])
        for b in set(end.values()):
            inside, total = [], 0
            for y, i in enumerate(by_lo):
                if end[i] <= b:
                    inside.append(i)
                    total += z[i]
                a = lo[i]
                if not inside or a + total + max(z[j] for j in clique) <= b:
                    continue
                if a + total > b:
                    raise Contradiction
                for x, j in enumerate(by_lo):
                    if (x <= y) == (end[j] <= b) or a + total + z[j] <= b:
                        continue
                    for k in inside:
                        self.put(*((k, j) if x <= y else (j, k)))

    def follows(self, lemma):
        kept = list(self.lo), list(self.hi), list(self.above)
        try:
            for kind, i, x in lemma:
                self.assume({"below": ("below", x, i), "at_least": ("at_most", i, x - 1),
                             "at_most": ("at_least", i, x + 1)}[kind])
            self.close()
            return False
        except Contradiction:
            return True
        finally:
            self.lo, self.hi, self.above = kept


def refutation(rows, r):
    scene = Scene(rows, r)
    for lemma in r["lemmas"]:
        for c in lemma:
            scene.claim(c)
    if scene.dead:
        return
    theory = Theory(scene)
    theory.changed = False
    try:
        for i, j in scene.known:
            theory.put(i, j)
        theory.close()
        for k, lemma in enumerate(r["lemmas"]):
            need(theory.follows(lemma), "lemma %d does not follow" % (k + 1))
            theory.lemmas.append(lemma)
            theory.close()
    except Contradiction:
        return
    raise Rejected("no contradiction")


def check(rows, pairs, c):
    bound = c["bound"]
    need(type(bound) is int and bound >= 0, "a bound below 0 or no integer")
    if c["proof"] == "none":
        need(bound == 0, "no proof")
    elif c["proof"] == "load":
        need(trees.load(rows, pairs, c["step"]) >= bound, "load")
    else:
        need(c["proof"] == "search" and c["refutation"]["height"] >= bound - 1, "no proof of this bound")
        r = c["refutation"]
        if r.get("tree"):
            trees.tree(rows, pairs, r)
        else:
            refutation(trees.relaxed(rows, pairs), r)


if __name__ == "__main__":
    try:
        with open(sys.argv[2], encoding="utf-8") as f:
            certificates = json.load(f)["certificates"]
        check(*read(sys.argv[1]), certificates[int(sys.argv[3]) if len(sys.argv) > 3 else 0])
    except Rejected as why:
        sys.exit("rejected: %s" % why)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as why:
        sys.exit("rejected: malformed: %r" % why)
    print("accepted")
