"""Checks certificates after verify/PROOFS.md: python3 check.py INSTANCE.csv CERTIFICATES.json [NUMBER]

Prints "accepted", or "rejected: why" and exits with 1. Slow and short on purpose; standard library only.
"""
import functools
import json
import math
import sys

import table
import trees
from table import need
from trees import Rejected

MOST = 1 << 60
WORK = 1 << 32
RULES = {"suppose": "", "lemma": "l", "order": "bb", "chain": "bbb", "room": "bb", "sum_up": "cbx", "sum_down": "cbx",
         "edge": "cxxb", "balance": "ccbb"}


class Contradiction(Exception):
    pass


def bits(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Scene:
    def __init__(self, rows, r):
        height, (start, end), chosen = r["height"], r["window"], r["buffers"]
        need(0 <= height <= MOST and len(chosen) <= 2048, "height or number of buffers")
        need(len(set(chosen)) == len(chosen) and all(0 <= i < len(rows) for i in chosen), "buffers")
        n = self.n = len(chosen)
        rows = [rows[i] for i in chosen]
        live = [[(max(a, start), min(b, end)) for a, b in row.parts if max(a, start) < min(b, end)] for row in rows]
        need(all(live), "a buffer that is not live in the window")
        live = [parts if row.size else [] for parts, row in zip(live, rows)]
        unit = functools.reduce(math.gcd, (row.align for row in rows), 0) or 1
        need(unit <= MOST, "alignment")
        up = lambda x: -(-x // unit) * unit
        self.align = [row.align for row in rows]
        self.size = [up(row.size) for row in rows]
        room = [height - row.size for row in rows]
        pin = [row.pin if row.size else None for row in rows]
        self.lo = [p or 0 for p in pin]
        self.hi = [h - h % a if p is None else p for h, a, p in zip(room, self.align, pin)]
        self.dead = any(h < 0 or hi > h for h, hi in zip(room, self.hi))
        self.height = up(height)
        self.gone = 0
        steps = sorted({t for parts in live for part in parts for t in part})
        sets = [sum(1 << i for i in range(n) if any(a <= t < b for a, b in live[i])) for t in steps]
        sets = [s for s in sets if s]
        if self.plain() and not self.dead:
            self.gone = functools.reduce(lambda a, b: a & b, sets) if sets else 0
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
        if "flip" in r:
            kind, i, j = r["flip"]
            self.claim(r["flip"])
            need(kind == "below" and self.plain() and not self.dead, "flip")
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
        need(0 <= i < self.n and not self.gone >> i & 1, "a claim about no buffer")
        if kind == "below":
            need(0 <= x < self.n and self.conflict[i] >> x & 1, "an order of buffers that do not conflict")
        else:
            need(kind in ("at_least", "at_most") and 0 <= x <= MOST, "a claim of no kind")


class Theory:
    def __init__(self, scene):
        self.s, self.lo, self.hi = scene, list(scene.lo), list(scene.hi)
        self.above = [0] * scene.n
        self.lemmas, self.balances = [], None
        for i, j in scene.known:
            self.above[i] |= 1 << j

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
        self.balances = list(self.s.balances()) if self.balances is None else self.balances
        while self.changed:
            self.changed = False
            self.pairs()
            for balance in self.balances:
                self.balance(*balance)
            for c in self.s.cliques:
                self.sums(c)
                self.edges(c)
            for lemma in self.lemmas:
                self.rule_lemma(lemma)

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

    def edges(self, clique):
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

    def suppose(self, lemma):
        for kind, i, x in lemma:
            self.assume({"below": ("below", x, i), "at_least": ("at_most", i, x - 1), "at_most": ("at_least", i, x + 1)}[kind])

    def follows(self, lemma):
        kept = list(self.lo), list(self.hi), list(self.above)
        try:
            self.suppose(lemma)
            self.close()
            return False
        except Contradiction:
            return True
        finally:
            self.lo, self.hi, self.above = kept


    def cost(self, steps, k, lemmas, cliques):
        """Checks the steps for lemma k, and counts the claims and buffers that they look at."""
        work = 0
        for name, *args in steps:
            need(len(args) == len(RULES[name]), "another number of arguments")
            work += 1 + (len(lemmas[k]) if name == "suppose" and k < len(lemmas) else 0)
            for kind, x in zip(RULES[name], args):
                need(x < {"b": self.s.n, "c": len(cliques), "l": min(k, len(lemmas)), "x": 2 * MOST + 1}[kind], "an argument out of range")
                need(kind != "b" or not self.s.gone >> x & 1, "a buffer that is not in the scene")
                work += cliques[x].bit_count() if kind == "c" else len(lemmas[x]) if kind == "l" else 0
        return work

    def follow(self, lemmas, hints):
        """Proves the lemmas by the steps given, up to a contradiction."""
        cliques = []
        need(len(hints["steps"]) == len(lemmas) + 1 and len(hints["cliques"]) <= 1 << 16, "hints of another length")
        for members in hints["cliques"]:
            cliques.append(0)
            for i in members:
                need(0 <= i < self.s.n and not self.s.gone >> i & 1, "a buffer that is not in the scene")
                need(cliques[-1] & ~self.s.conflict[i] == 0 and not cliques[-1] >> i & 1, "not a clique")
                cliques[-1] |= 1 << i
        need(sum(self.cost(steps, k, lemmas, cliques) for k, steps in enumerate(hints["steps"])) <= WORK, "too much work")
        if self.s.dead:
            return
        try:
            for k, steps in enumerate(hints["steps"]):
                need(self.proves(steps, lemmas, k, cliques), "lemma %d does not follow" % (k + 1))
        except Contradiction:
            return
        raise Rejected("no contradiction")

    def proves(self, steps, lemmas, k, cliques):
        kept, supposed = None, False
        try:
            for name, *args in steps:
                if name == "suppose":
                    if not supposed and k < len(lemmas):
                        kept, supposed = (list(self.lo), list(self.hi), list(self.above)), True
                        self.suppose(lemmas[k])
                else:
                    args = [cliques[x] if kind == "c" else lemmas[x] if kind == "l" else x for kind, x in zip(RULES[name], args)]
                    getattr(self, "rule_" + name)(*args)
            return k == len(lemmas)
        except Contradiction:
            if not supposed:
                raise
            return True
        finally:
            if supposed:
                self.lo, self.hi, self.above = kept

    def rule_lemma(self, lemma):
        open_ = [c for c in lemma if not self.false(c)]
        if not open_:
            raise Contradiction
        if len(open_) == 1:
            self.assume(open_[0])

    def rule_order(self, i, j):
        if self.above[i] >> j & 1:
            self.raise_(j, self.lo[i] + self.s.size[i])
            self.lower(i, self.hi[j] - self.s.size[i])

    def rule_chain(self, i, j, k):
        if self.above[i] >> j & self.above[j] >> k & 1:
            self.put(i, k)

    def rule_room(self, i, j):
        if self.s.conflict[i] >> j & 1 and self.lo[i] + self.s.size[i] > self.hi[j]:
            self.put(j, i)

    def rule_sum_up(self, clique, j, x):
        total = sum(self.s.size[k] for k in bits(clique) if self.above[k] >> j & 1 and self.lo[k] >= x)
        if total:
            self.raise_(j, x + total)

    def rule_sum_down(self, clique, j, x):
        total = sum(self.s.size[k] for k in bits(clique) if self.above[j] >> k & 1 and self.hi[k] + self.s.size[k] <= x)
        if total:
            self.lower(j, x - total - self.s.size[j])

    def rule_edge(self, clique, x, y, j):
        inside = [k for k in bits(clique) if self.lo[k] >= x and self.hi[k] + self.s.size[k] <= y]
        total = sum(self.s.size[k] for k in inside)
        if inside and x + total > y:
            raise Contradiction
        if clique >> j & 1 and j not in inside and x + total + self.s.size[j] > y:
            for k in inside:
                if self.lo[j] >= x:
                    self.put(k, j)
                elif self.hi[j] + self.s.size[j] <= y:
                    self.put(j, k)

    def rule_balance(self, first, second, j, k):
        if not (first & second) >> j & 1:
            return
        z, height = self.s.size, self.s.height
        total = sum(z[i] for i in bits(first & second))
        total += sum(z[i] for i in bits(first & ~second) if self.above[i] >> j & 1)
        total += sum(z[i] for i in bits(second & ~first) if self.above[j] >> i & 1)
        if total > height:
            raise Contradiction
        if total + z[k] > height:
            if (first & ~second) >> k & 1 and not self.above[k] >> j & 1:
                self.put(j, k)
            if (second & ~first) >> k & 1 and not self.above[j] >> k & 1:
                self.put(k, j)


def refutation(rows, r):
    scene, lemmas = Scene(rows, r), r["lemmas"]
    for lemma in lemmas:
        for c in lemma:
            scene.claim(c)
    theory = Theory(scene)
    theory.changed = False
    if "hints" in r:
        return theory.follow(lemmas, r["hints"])
    if scene.dead:
        return
    try:
        theory.close()
        for k, lemma in enumerate(lemmas):
            need(theory.follows(lemma), "lemma %d does not follow" % (k + 1))
            theory.lemmas.append(lemma)
            theory.close()
    except Contradiction:
        return
    raise Rejected("no contradiction")


def check(rows, pairs, c):
    bound = c["bound"]
    need(bound >= 0, "a bound below 0")
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


def form(value, shape):
    """Checks the form of a JSON value: int, str, [shape] for a list, (shapes) for a list of so many, {key: shape} for an
    object, where a key with ? may be missing."""
    if type(shape) is tuple:
        need(type(value) is list and len(value) == len(shape), "another length")
        for one, kind in zip(value, shape):
            form(one, kind)
    elif type(shape) is list:
        need(type(value) is list, "not a list")
        for one in value:
            form(one, shape[0])
    elif type(shape) is dict:
        need(type(value) is dict and set(value) <= {key.strip("?") for key in shape}, "not an object, or an unknown key")
        for key, kind in shape.items():
            need(key.strip("?") in value or key[0] == "?", "no " + key)
            if key.strip("?") in value:
                form(value[key.strip("?")], kind)
    else:
        need(type(value) is shape and (shape in (str, bool) or table.LEAST <= value <= table.MOST), "not of type " + shape.__name__)


CLAIM = (str, int, int)
HINTS = {"cliques": [[int]], "steps": [str]}
REFUTATION = {"window": (int, int), "height": int, "buffers": [int], "?flip": CLAIM, "lemmas": [[CLAIM]], "?hints": HINTS,
              "?tree": [int]}
PEAK = {"?instance": str, "proof": str, "bound": int, "?step": int, "?refutation": REFUTATION}
VALUE = {"bytes": int, "align": int, "made": int, "state": bool, "copied": bool, "least": int, "moves": [int], "events": [(int, int, int, int, int)]}
QUESTION = {"capacity": int, "way": str, "overlap": bool, "read": int, "write": int, "scratch": [[int]], "reserved": [(int, int)],
            "values": [VALUE], "handovers": [(int, int, int, int, int, int)], "before": [[int]]}
TRAFFIC = {"question": QUESTION, "cuts": [{"pieces": [(int, int, int)], "certificate": PEAK}],
           "rounded": [{"row": int, "divisor": int, "turned": [int]}], "tree": [int],
           "leaves": [{"scale": int, "rows": [int], "weights": [int]}]}
CERTIFICATE = {**PEAK, "?traffic": TRAFFIC}


def once(members):
    need(len(dict(members)) == len(members), "a key twice")
    return dict(members)


def number(text):
    raise Rejected(text + " is no number")


def spelled(text):
    """The steps of one lemma: lists of a rule's name and its numbers."""
    steps = []
    for word in text.split(" ") if text else []:
        if word in RULES:
            steps.append([word])
        else:
            need(steps and word.isascii() and word.isdigit() and len(word) < 4000 and int(word) <= table.MOST, "no rule and no number")
            steps[-1].append(int(word))
    return steps


def certificates(data):
    """The certificates of a file, from its bytes."""
    try:
        file = json.loads(data.decode("utf-8").removeprefix("\ufeff"), object_pairs_hook=once, parse_constant=number)
        json.dumps(file, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as why:
        raise Rejected("not JSON: %s" % why)
    form(file, {"schema": int, "certificates": [CERTIFICATE]})
    need(file["schema"] == 1, "schema")
    need(all(("traffic" in c) == (c["proof"] == "traffic") for c in file["certificates"]), "traffic")
    cuts = [cut["certificate"] for c in file["certificates"] for cut in c.get("traffic", {"cuts": []})["cuts"]]
    for c in file["certificates"] + cuts:
        need(("step" in c) == (c["proof"] == "load") and ("refutation" in c) == (c["proof"] == "search"), "step or refutation")
        r = c.get("refutation", {"lemmas": []})
        for kind, _, _ in [claim for lemma in r["lemmas"] + [[r["flip"]] if "flip" in r else []] for claim in lemma]:
            need(kind in ("below", "at_least", "at_most"), "relation")
        if "hints" in r:
            r["hints"]["steps"] = [spelled(text) for text in r["hints"]["steps"]]
    return file["certificates"]


def verdicts(instance, file):
    """What is to be said of each certificate of a file, or of both files together."""
    try:
        (rows, pairs), list_ = table.read(instance), certificates(file)
    except Rejected as why:
        return ["rejected: %s" % why]
    said = []
    for c in list_:
        try:
            check(rows, pairs, c)
            said.append("accepted")
        except Rejected as why:
            said.append("rejected: %s" % why)
    return said


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as instance, open(sys.argv[2], "rb") as file:
        said = verdicts(instance.read(), file.read())
    if len(said) == 0:
        sys.exit("rejected: there is no certificate")
    said = said[int(sys.argv[3]) if len(sys.argv) > 3 and len(said) > 1 else 0]
    if said != "accepted":
        sys.exit(said)
    print(said)
