"""Checks certificates of what is moved at least after verify/PROOFS.md, "Traffic": python3 traffic.py CERTIFICATES.json [NUMBER]

Prints "accepted", or "rejected: why" and exits with 1. Whose question it is, is not looked at. Slow and short on purpose.
"""
import bisect
import math
import sys

import check
from table import Row, need
from trees import Rejected

BYTES, COST, LARGE = 1 << 40, 1 << 50, 1 << 44


class Program:
    def __init__(self, question):
        self.q, self.values, self.n = question, question["values"], len(question["scratch"])
        self.sound()
        self.costs, self.rows, self.out, self.away = [], [], [], []
        if question["before"]:
            self.orders()
        else:
            self.in_order()
        need(len(self.costs) <= 1 << 18 and sum(map(abs, self.costs)) <= COST, "too many columns, or costs")
        self.unit = math.gcd(*self.costs) or 1

    def in_order(self):
        for v in self.values:
            if v["copied"]:
                self.state(v)
            elif self.q["way"] == "whole" or v["state"]:
                self.whole(v)
            else:
                self.pieces(v)
        for step in range(self.n + 1):
            self.cover(step)

    def orders(self):
        n, before = self.n, self.q["before"]
        need(len(before) == n <= 1 << 9 and not self.q["handovers"], "what comes before, or results in operands' places")
        self.all = []
        for u, list_ in enumerate(before):
            need(list_ == sorted(set(list_)) and all(0 <= w < u for w in list_), "what comes before a step")
            self.all.append(set(list_).union(*(self.all[w] for w in list_)))
        self.places = [range(len(self.all[u]), n - sum(u in list_ for list_ in self.all)) for u in range(n)]
        self.at, self.load = [], [[] for _ in range(n + 1)]
        for u, places in enumerate(self.places):
            self.at.append({k: self.column(0) for k in places})
            for k, x in self.at[u].items():
                self.load[k].append((x, -sum(self.q["scratch"][u])))
            self.row(1, *((x, 1) for x in self.at[u].values()))
        for k in range(n):
            self.row(-1, *((at[k], -1) for at in self.at if k in at))
        for u, places in enumerate(self.places):
            for w in sorted(self.all[u]):
                for k in places:
                    if k < self.places[w].stop:
                        self.row(0, *self.by(w, k - 1, 1), *self.by(u, k, -1))
        for v in self.values:
            need(not v["copied"] and v["made"] <= 1, "a value of which nothing is known in other orders")
            self.anywhen(v)
        for load in self.load:
            self.row(-self.q["capacity"], *load)

    def by(self, u, place, times):
        return [(x, times) for k, x in self.at[u].items() if k <= place]

    def anywhen(self, v):
        q, n, events = self.q, self.n, v["events"]
        maker = events[0][0] if v["made"] else None
        good, z = q["way"] == "whole" or v["state"], None
        if good:
            z = None if q["way"] == "copy" and any(e[3] for e in events) else self.column(self.reaching(events))
        elif maker is not None:
            z = self.column(v["bytes"] * q["write"])
        uses = [e for e in events[v["made"]:] if 0 <= e[0] < n]
        need(v["state"] or maker is None or all(maker in self.all[e[0]] for e in uses), "a value that is used before it is made")
        first = 0 if maker is None else self.places[maker].start
        last = n if events[-1][0] == n else max(self.places[e[0]].stop - 1 for e in events if e[0] >= 0)
        here = {}

        def needs(column):
            if z is not None:
                self.row(0, (z, 1), (column, -1))

        def present(step, away):
            for k, x in self.at[step].items():
                self.row(0, (here[k], 1), (x, -1), (away, 1))

        for k in range(first, last + 1):
            here[k] = self.column(0)
            self.load[k].append((here[k], -v["least"]))
            if good:
                self.row(1 if v["state"] else -1, *((x, 1 if v["state"] else -1) for x in (here[k], z)))
            if k > first:
                back = None
                if not good and k < n:
                    back = self.column(v["bytes"] * q["read"])
                    needs(back)
                    if maker is not None:
                        self.row(0, *self.by(maker, k - 1, 1), (back, -1))
                self.row(0, (here[k - 1], 1), (here[k], -1), (back, 1), (None if maker is None else self.at[maker].get(k), 1))
        begins = lambda: self.row(0, (self.at[maker][first], 1), (here[first], -1))
        taken = lambda: events[-1][0] != n or v["state"] or maker is None and z is None or self.row(1, (here[n], 1), (z, 1))
        if good:
            for e in uses:
                present(e[0], z)
            taken()
            if maker is not None:
                present(maker, z)
                begins()
            return
        if maker is not None:
            begins()
            wrote = None
            if q["way"] == "direct":
                wrote = self.column(self.reaching(events[:1]) - v["bytes"] * q["write"])
                needs(wrote)
            present(maker, wrote)
        for step, read, _, reached, _ in uses:
            if reached and q["way"] == "direct":
                away = self.column(read * q["read"])
                needs(away)
                present(step, away)
            elif reached or maker is not None:
                present(step, None if reached else z)
        taken()

    def sound(self):
        q = self.q
        need(q["way"] in ("whole", "direct", "copy") and q["read"] > 0 and q["write"] > 0, "way or costs")
        numbers = [q["capacity"], q["read"], q["write"]] + [x for list_ in q["scratch"] + q["reserved"] for x in list_]
        need(self.n <= 1 << 16 and len(self.values) <= 1 << 16 and all(a < b for a, b in q["reserved"]), "how much there is")
        for v in self.values:
            events, made = v["events"], v["made"]
            steps = [e[0] for e in events]
            numbers += [v["bytes"], v["align"], v["least"]] + [x for e in events for x in e[1:]]
            need(v["bytes"] > 0 and v["align"] > 0 and events and 0 <= made <= len(events), "a value")
            need(steps == sorted(set(steps)) and -1 <= steps[0] and steps[-1] <= self.n and (steps[0] == -1) == (made == 0), "its events")
            need(not made or not v["state"] and steps[made - 1] < self.n, "its making")
            need(all(b[4] <= a[4] for a, b in zip([(0, 0, 0, 0, v["bytes"])] + events, events)) and v["moves"] == sorted(v["moves"]), "its bytes")
            need(all(e[3] in range(4) for e in events), "access")
            around = events[0][3] == events[-1][3] == 0 and steps[-1] == self.n and not v["moves"]
            need(not v["copied"] or v["state"] and q["way"] != "whole" and around, "a state that is copied")
        for step, under, over, distance, lead, given in q["handovers"]:
            numbers.append(distance)
            need(0 <= under < len(self.values) and 0 <= over < len(self.values) and under != over and step >= 0, "a handover")
            need(self.event(under, step) is not None and self.event(over, step) is not None and {lead, given} <= {0, 1}, "a handover")
        need(all(0 <= x <= BYTES for x in numbers), "a number out of range")

    def event(self, v, step):
        """The number of a value's event at a step, None where there is none."""
        events = self.values[v]["events"]
        j = bisect.bisect_left(events, step, key=lambda e: e[0])
        return j if j < len(events) and events[j][0] == step else None

    def column(self, cost):
        self.costs.append(cost)
        return len(self.costs) - 1

    def row(self, least, *terms):
        together = {}
        for column, times in terms:
            if column is not None:
                together[column] = together.get(column, 0) + times
        together = {c: times for c, times in together.items() if times}
        if sum(min(0, times) for times in together.values()) < least:
            self.rows.append((together, least))

    def reaching(self, events):
        return sum(e[1] * self.q["read"] + e[2] * self.q["write"] for e in events)

    def whole(self, v):
        events = v["events"]
        z = None if self.q["way"] == "copy" and any(e[3] for e in events) else self.column(self.reaching(events))
        self.out.append([z] * len(events))
        self.away.append([z] * (len(events) - 1))

    def pieces(self, v):
        events, made, q = v["events"], v["made"], self.q
        kept = self.column(v["bytes"] * q["write"]) if made else None
        out, back, away = [], [], []
        for j, (step, read, _, reached, _) in enumerate(events):
            if 0 < j < made:
                out.append(out[0])
            elif j > 0 and step == self.n:
                out.append(away[j - 1])
            elif q["way"] == "copy" and reached:
                out.append(None)
            else:
                first = self.reaching(events[:made]) - v["bytes"] * q["write"]
                out.append(self.column(first if made and j == 0 else read * q["read"]))
            back.append(self.column(v["bytes"] * q["read"]) if j >= made and j > 0 and step < self.n else None)
            if j < len(events) - 1:
                away.append(out[0] if j + 1 < made or step == -1 else self.column(0))
        self.bind(out, back, away, kept)
        if not away and kept is not None:
            self.row(0, (kept, 1), (out[0], -1))

    def bind(self, out, back, away, kept):
        for j, x in enumerate(away):
            self.row(0, (x, 1), (out[j], -1))
            self.row(0, (x, 1), (out[j + 1], -1))
            if back[j + 1] is not None:
                self.row(0, (back[j + 1], 1), (out[j + 1], 1), (x, -1))
            if kept is not None:
                self.row(0, (kept, 1), (x, -1))
        self.out.append(out)
        self.away.append(away)

    def state(self, v):
        events, q, n = v["events"], self.q, len(v["events"]) - 1
        around = self.column(0)
        out, back, away = [around], [None], [around]
        for j in range(1, n):
            out.append(self.column(self.reaching([events[j]])) if q["way"] == "direct" else None)
            back.append(None if events[j][3] == 2 else self.column(v["bytes"] * q["read"]))
            away.append(self.column(0) if j < n - 1 else around)
        self.bind(out + [around], back + [None], away, None)
        for j in range(n):
            if events[j][3] & 2:
                kept = self.column(v["bytes"] * q["write"])
                for k in range(j, j + n):
                    if k > j and events[k % n][3] & 2:
                        break
                    if events[1 if k % n == n - 1 else k % n + 1][3] != 2:
                        self.row(0, (kept, 1), (out[j], 1), (away[k % n], -1))

    def absent(self, v, step):
        """The column that says that a value is not in fast memory at a step, and the bytes that are needed there."""
        events = self.values[v]["events"]
        j = bisect.bisect_left(events, step, key=lambda e: e[0])
        if j == len(events) or j == 0 and events[0][0] > step:
            return None, 0
        return (self.out[v][j] if events[j][0] == step else self.away[v][j - 1]), events[j][4]

    def cover(self, step):
        here = [self.absent(v, step) for v in range(len(self.values))]
        excess = sum(self.q["scratch"][step] if step < self.n else []) + sum(bytes_ for _, bytes_ in here) - self.q["capacity"]
        if excess > 0:
            terms = [term for term in here if term[1]] + self.shares(step, here)
            self.row(excess, *((c, min(times, excess)) for c, times in terms))

    def shares(self, step, here):
        terms, of = [], {}
        for at, under, over, distance, lead, given in self.q["handovers"]:
            a, b = self.values[under], self.values[over]
            bytes_ = min(a["bytes"], max(0, b["bytes"] - distance)) if lead else min(a["bytes"], b["bytes"])
            if at != step or any(x["state"] and not x["copied"] for x in (a, b)) or not bytes_ or not here[under][1] or not here[over][1]:
                continue
            s = self.column(0)
            for v in (under, over):
                of.setdefault(v, []).append((s, -bytes_))
                if here[v][0] is not None:
                    self.row(-1, (s, -1), (here[v][0], -1))
            j, away = self.event(under, step), self.away[under]
            if j < len(away):
                self.row(0, (away[j], 1), (s, -1))
            if given and not a["state"]:
                self.row(0, (s, -1), *((c, 1) for c in dict.fromkeys(away[:j])))
            terms.append((s, bytes_))
        for v, list_ in sorted(of.items()):
            if len(list_) > 1:
                self.row(-self.values[v]["bytes"], *list_)
        return terms

    def cut(self, pieces, certificate):
        need(pieces and not self.q["before"], "no pieces, or in one order of many")
        last = None
        for v, start, end in pieces:
            need(0 <= v < len(self.values), "a piece of no value")
            events = self.values[v]["events"]
            need(events[0][0] <= start and end <= events[-1][0] + 1 and max(start, 0) < end, "a piece out of its life")
            need(last is None or last[0] < v or last[0] == v and last[2] <= start, "pieces out of order")
            last = v, start, end
        need(certificate["bound"] > self.q["capacity"], "within the capacity")
        check.check(*self.together(pieces), certificate)
        self.row(1, *((c, 1) for c in dict.fromkeys(c for piece in pieces for c in self.gone(*piece))))

    def gone(self, v, start, end):
        last, events, j = end - 1, self.values[v]["events"], self.event(v, start)
        if start == last and j is not None:
            return [self.out[v][j]]
        return [x for x, a, b in zip(self.away[v], events, events[1:]) if a[0] < max(last, start + 1) and b[0] > start]

    def together(self, pieces):
        """The buffers of pieces that are all there, and their pairs."""
        parts = []  # value, piece, start, end, bytes
        for v, start, end in pieces:
            at = max(start, 0)
            for move in [m for m in self.values[v]["moves"] if m < end] + [end]:
                if move > at:
                    parts.append([v, (start, end), at, move, self.absent(v, move - 1)[1]])
                    at = move
        pairs = {}
        for step, under, over, distance, lead, given in self.q["handovers"]:
            dies = [k for k, (v, piece, _, end, size) in enumerate(parts)
                    if v == under and end == piece[1] == step + 1 and size and not (given and piece[0] == -1)]
            born = [k for k, (v, _, start, _, size) in enumerate(parts) if v == over and start == step and size]
            if dies and born:
                u, o = dies[0], born[0]
                a, b = self.values[under], self.values[over]
                if parts[u][4] == a["bytes"] and parts[o][4] == b["bytes"] and not a["copied"] and not b["copied"]:
                    key = o, u, "lead" if lead else distance
                    pairs[key] = min(distance, pairs.get(key, distance))
                elif parts[u][3] - parts[u][2] > 1:
                    parts[u][3] -= 1
                else:
                    parts[u][4] = 0
        live = [[(start, end)] for _, _, start, end, _ in parts]
        for u, (v, (begin, _), start, end, size) in enumerate(parts):
            for o, (w, (_, last), again, stop, _) in enumerate(parts):
                if v == w and u < o and size and parts[o][4] and self.values[v]["copied"] and begin == -1 and last == self.n + 1:
                    live[u] = [(start, end), (again, stop)] if end < again else [(start, stop)]
                    parts[o][4] = 0
        row = lambda live, size, align, pin: Row(live, size, align, pin, None, 0, "", (live[0][0], live[-1][1]), "", "", None, {})
        rows = [row(at, size, self.values[v]["align"], None) for (v, *_, size), at in zip(parts, live)]
        steps = range(max(0, min(p[1] for p in pieces)), min(self.n, max(p[2] for p in pieces)))
        rows += [row([(s, s + 1)], size, 1, None) for s in steps for size in self.q["scratch"][s]]
        rows += [row([(0, self.n + 1)], b - a, 1, a) for a, b in self.q["reserved"]]
        return rows, sorted(((o, u, distance, kind != "lead") for (o, u, kind), distance in pairs.items()), key=lambda p: p[0])

    def rounded(self, i, d, turned):
        need(0 <= i < len(self.rows) and 1 <= d <= BYTES, "a rounding of no row")
        terms, least = self.rows[i]
        sign = {c: -1 if c in turned else 1 for c in terms}
        least -= sum(times for c, times in terms.items() if sign[c] < 0)
        up = -(-least // d)
        f = least - d * (up - 1)
        terms = {c: sign[c] * (sign[c] * times // d * f + min(f, sign[c] * times % d)) for c, times in terms.items()}
        least = f * up + sum(times for c, times in terms.items() if sign[c] < 0)
        need(all(abs(times) <= LARGE for times in terms.values()) and abs(least) <= LARGE << 10, "a row of large numbers")
        self.rows.append((terms, least))

    def part(self, tree, leaves, below):
        """Checks a tree from its next node on."""
        todo = [{}]  # what is fixed, of the nodes to come, the next one last
        while todo:
            need(tree, "the tree ends too soon")
            fixed, c = todo.pop(), tree.pop()
            if c == -1:
                need(leaves, "a leaf is missing")
                self.leaf(leaves.pop(), fixed, below)
            else:
                need(0 <= c < len(self.costs) and c not in fixed, "a node of no column")
                todo += [{**fixed, c: 1}, {**fixed, c: 0}]
        need(not tree and not leaves, "nodes or leaves are left over")

    def leaf(self, leaf, fixed, below):
        scale, rows, weights = leaf["scale"], leaf["rows"], leaf["weights"]
        need(scale >= 0 and len(rows) == len(weights) and all(0 <= i < len(self.rows) for i in rows) and all(y >= 0 for y in weights), "a leaf")
        left, sum_ = [scale * cost for cost in self.costs], 0
        for i, y in zip(rows, weights):
            sum_ += y * self.rows[i][1]
            for c, times in self.rows[i][0].items():
                left[c] -= y * times
        sum_ += sum(x * fixed[c] if c in fixed else min(0, x) for c, x in enumerate(left))
        need(sum_ > scale * below, "a leaf adds up to too little")


def traffic(c):
    need(c["proof"] == "traffic" and c["bound"] > 0, "no proof of what is moved")
    t = c["traffic"]
    p = Program(t["question"])
    for cut in t["cuts"]:
        p.cut(cut["pieces"], cut["certificate"])
    for r in t["rounded"]:
        p.rounded(r["row"], r["divisor"], r["turned"])
    need(c["bound"] % p.unit == 0, "the bound is no multiple of the unit")
    p.part(t["tree"][::-1], t["leaves"][::-1], c["bound"] - p.unit)


def verdicts(file):
    """What is to be said of each certificate of a file."""
    try:
        list_ = check.certificates(file)
    except Rejected as why:
        return ["rejected: %s" % why]
    said = []
    for c in list_:
        try:
            traffic(c)
            said.append("accepted")
        except Rejected as why:
            said.append("rejected: %s" % why)
    return said


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        said = verdicts(file.read())
    if len(said) == 0:
        sys.exit("rejected: there is no certificate")
    said = said[int(sys.argv[2]) if len(sys.argv) > 2 and len(said) > 1 else 0]
    if said != "accepted":
        sys.exit(said)
    print(said)
