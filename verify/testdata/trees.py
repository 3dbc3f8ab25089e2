"""Pairs of buffers that may share bytes, for check.py: what PROOFS.md says of
them under "Pairs", "The weight" and "Trees"."""

import functools
import math

MOST = 1 << 60
FAR = math.inf


class Rejected(Exception):
    pass


class Contradiction(Exception):
    pass


def hands_over(parts, pair):
    """Whether the two of a lead are live together at one step alone."""
    top, bottom = pair[:2]
    return parts[bottom][-1][1] == parts[top][0][0] + 1


def without(parts, others):
    for start, end in others:
        parts = [(a, b) for x, y in parts for a, b in ((x, min(y, start)), (max(x, end), y)) if a < b]
    return parts


def relaxed(rows, pairs):
    """Parts and size of each row, with nothing shared."""
    parts, sizes = [r[0] for r in rows], [r[1] for r in rows]
    for top, bottom, _, _ in pairs:
        less, more = (bottom, top) if sizes[top] > sizes[bottom] else (top, bottom)
        if sizes[less]:
            left = without(parts[less], parts[more])
            if left:
                parts[less] = left
            else:
                sizes[less] = 0
    return [r._replace(parts=p, size=z) for p, z, r in zip(parts, sizes, rows)]


def groups(items, related):
    """The components of a set."""
    left, found = list(items), []
    while left:
        group = [left.pop(0)]
        for i in group:
            near = [j for j in left if related(i, j)]
            left = [j for j in left if j not in near]
            group += near
        found.append(group)
    return found


def others(group, taken, size, may):
    """How many bytes more some take of which no two may share."""
    chosen = list(taken)
    for i in group:
        if i not in chosen and not any(may(i, j) for j in chosen):
            chosen.append(i)
    return sum(size[i] for i in chosen[len(taken):])


def weight(items, size, may, lead):
    """How many bytes what is live together takes at least."""
    total = 0
    for group in groups(items, may):
        group.sort(key=lambda i: (-size[i], i))
        best = 0
        for first in group:
            inputs = [(x, *lead(first, x)) for x in group]
            inputs = [(x, l, only) for x, l, only in inputs if l is not None]
            end = 0
            if all(only for _, _, only in inputs) and not any(may(a[0], b[0]) for a in inputs for b in inputs if a != b):
                for x, l, _ in sorted(inputs, key=lambda i: i[1]):
                    end = max(end, l) + size[x]
                end += others(group, [first] + [x for x, _, _ in inputs], size, may)
            best = max(best, size[first] + others(group, [first], size, may), end)
        total += best
    return total


def load(rows, pairs, step):
    """The weight of what is live at a step."""
    live = [i for i, r in enumerate(rows) if r[1] and any(a <= step < b for a, b in r[0])]
    of = {}
    for p in pairs:
        of.setdefault(frozenset(p[:2]), []).append(p)

    def lead(y, x):
        listed = of.get(frozenset((y, x)), [])
        leads = [min(d, rows[y][1]) for top, _, d, equal in listed if top == y and not equal and d >= 0]
        return leads[-1] if leads else None, len(listed) == 1

    return weight(live, [r[1] for r in rows], lambda i, j: frozenset((i, j)) in of, lead)


class Stage:
    """What a tree speaks of."""

    def __init__(self, rows, pairs, r):
        chosen, self.height = r["buffers"], r["height"]
        start, end = r["window"]
        n = self.n = len(chosen)
        if not (0 <= self.height <= MOST and 0 < n <= 256 and len(set(chosen)) == n):
            raise Rejected("height or buffers")
        if not all(0 <= i < len(rows) and 0 <= rows[i][1] <= MOST and rows[i][2] <= MOST for i in chosen):
            raise Rejected("buffers")
        self.size, self.align = [rows[i][1] for i in chosen], [rows[i][2] for i in chosen]
        parts = [rows[i][0] for i in chosen]
        births = {max(a, start) for p in parts for a, b in p if max(a, start) < min(b, end)}
        self.sets = [[k for k in range(n) if self.size[k] and any(a <= t < b for a, b in parts[k])] for t in sorted(births)]
        # A way is (from, to, lead, over): offset(b) - offset(a) is in from..to.
        self.ways = {(a, b): [(self.size[a], FAR, None, None), (-FAR, -self.size[b], None, None)]
                     for s in self.sets for a in s for b in s if a < b}
        place = {i: k for k, i in enumerate(chosen)}
        for top, bottom, distance, equal in pairs:
            if top not in place or bottom not in place or not 0 <= distance <= MOST:
                continue
            o, u = place[top], place[bottom]
            a, b = key = min(o, u), max(o, u)
            if key not in self.ways or not equal and not hands_over([r[0] for r in rows], (top, bottom)):
                continue
            first, last = (-distance, -distance) if equal else (distance, self.size[o] - 1)
            if o != a:
                first, last = -last, -first
            if first <= last and first < self.size[a] and last > -self.size[b]:
                self.ways[key].append((first, last, None if equal else distance, o))
        self.sharing = any(len(w) > 2 for w in self.ways.values())
        self.pins = [rows[i][3] if rows[i][1] else None for i in chosen]
        self.ties = [(place[rows[i][4]], k, rows[i][5]) for k, i in enumerate(chosen) if rows[i][4] in place and rows[i][1]]

    def root(self):
        f = Facts(self)
        for k, pin in enumerate(self.pins):
            f.learn(self.n, k, 0)
            f.learn(k, self.n, self.size[k] - self.height)
            if pin is not None:
                f.learn(self.n, k, pin)
                f.learn(k, self.n, -pin)
        for root, k, delta in self.ties:
            f.learn(root, k, delta)
            f.learn(k, root, -delta)
        return f


class Facts:
    """What is known at a node: of each two of 0..n, n being the ground, how much
    higher the second is at least; and the ways that are left."""

    def __init__(self, stage):
        self.s = stage
        self.least = [[0 if i == j else -stage.height for j in range(stage.n + 1)] for i in range(stage.n + 1)]
        self.left = {key: list(range(len(w))) for key, w in stage.ways.items()}

    def copy(self):
        f = Facts.__new__(Facts)
        f.s, f.least, f.left = self.s, [list(row) for row in self.least], dict(self.left)
        return f

    def round(self, i, j, x):
        unit = functools.reduce(math.gcd, (self.s.align[k] for k in (i, j) if k < self.s.n), 0)
        return -(-x // unit) * unit

    def learn(self, i, j, x):
        todo = [(i, j, x)]
        for i, j, x in todo:
            x = self.round(i, j, x)
            if x <= self.least[i][j]:
                continue
            if x > self.s.height or x + self.least[j][i] > 0:
                raise Contradiction
            onward = self.least[j]
            for a, row in enumerate(self.least):
                first = row[i] + x
                for b, y in enumerate(onward):
                    if a != b and first + y > row[b]:
                        row[b] = first + y
                        if self.round(a, b, row[b]) > row[b]:
                            todo.append((a, b, row[b]))

    def apply(self, key, way):
        a, b = key
        if way[0] > -FAR:
            self.learn(a, b, way[0])
        if way[1] < FAR:
            self.learn(b, a, -way[1])

    def decide(self, key, w):
        if w not in self.left[key]:
            raise Contradiction
        self.left[key] = [w]
        self.apply(key, self.s.ways[key][w])

    def conclude(self):
        again = True
        while again:
            again = False
            for (a, b), left in self.left.items():
                first, last = self.least[a][b], -self.least[b][a]
                ways = self.s.ways[a, b]
                keep = [w for w in left if ways[w][0] <= last and first <= ways[w][1]]
                if not keep:
                    raise Contradiction
                if len(keep) < len(left):
                    self.left[a, b], again = keep, True
                way = ways[keep[0]]
                if len(keep) == 1 and (way[0] > first or way[1] < last):
                    self.apply((a, b), way)
                    again = True
        self.weigh()

    def may(self, i, j):
        key = min(i, j), max(i, j)
        return any(w > 1 for w in self.left.get(key, ()))

    def joined(self, i, j):
        left = self.left.get((min(i, j), max(i, j)), ())
        return len(left) == 1 and left[0] > 1

    def lead(self, y, x):
        key = min(y, x), max(y, x)
        shared = [self.s.ways[key][w] for w in self.left.get(key, ()) if w > 1]
        leads = [lead for _, _, lead, over in shared if lead is not None and over == y]
        return leads[-1] if leads else None, len(shared) == 1

    def weigh(self):
        s, size = self.s, self.s.size
        rows = [g for g in groups(range(s.n), self.joined) if len(g) > 1] if s.sharing else []
        for live in s.sets:
            total = weight(live, size, self.may, self.lead) if s.sharing else sum(size[i] for i in live)
            if total > s.height:
                raise Contradiction
            for row in rows:
                span = max(self.least[i][j] + size[j] for i in row for j in row)
                beside = [w for w in live if all((min(w, r), max(w, r)) in s.ways and not self.may(w, r) for r in row)]
                if span + weight(beside, size, self.may, self.lead) > s.height:
                    raise Contradiction


def tree(rows, pairs, r):
    """Replays a proof by cases. A row is parts, size, alignment, pin, root, delta."""
    stage, n = Stage(rows, pairs, r), len(r["buffers"])
    try:
        todo = [stage.root()]
    except Contradiction:
        todo = [None]
    for token in r["tree"]:
        if not todo:
            raise Rejected("a node too many")
        facts = todo.pop()
        if facts is not None:
            try:
                facts.conclude()
            except Contradiction:
                facts = None
        if token < 0:
            if facts is not None:
                raise Rejected("a leaf that is no contradiction")
            continue
        key = divmod(token, n)
        if key not in stage.ways:
            raise Rejected("a branch on buffers that do not conflict")
        for w in reversed(range(len(stage.ways[key]))):
            child = facts and facts.copy()
            try:
                if child is not None:
                    child.decide(key, w)
            except Contradiction:
                child = None
            todo.append(child)
    if todo:
        raise Rejected("a node too few")
