"""Reads the buffers of an instance from CSV, the way docs of package model/csv say, and refuses what they do not allow."""
import collections
import re

from trees import Rejected

LEAST, MOST = -(1 << 63), (1 << 63) - 1
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
NAMES = {"id": "id", "buffer": "id", "buffer_id": "id", "lower": "lower", "start": "lower", "begin": "lower", "upper": "upper",
         "end": "end", "size": "size", "alignment": "alignment", "offset": "offset", "gaps": "gaps", "tie": "tie",
         "over": "over", "exclusive": "exclusive", "pool": "pool", "hint": "hint"}
QUOTED = re.compile('"((?:[^"]|"")*)"(?:\r(?=\n|\\Z))?')
PLAIN = re.compile("[^,\n\"]*")


def need(holds, why):
    if not holds:
        raise Rejected(why)


def records(text):
    """The records, as lists of cells; blank lines are none."""
    at = 0
    while at < len(text):
        begin, row, more = at, [], True
        while more:
            cell = (QUOTED if text.startswith('"', at) else PLAIN).match(text, at)
            need(cell, "a quote that is never closed")
            at = cell.end()
            need(at == len(text) or text[at] in ",\n", "a quote in the middle of a cell")
            more = text.startswith(",", at)
            value = cell.group()
            if cell.re is QUOTED:
                value = cell.group(1).replace('""', '"')
            elif not more:
                value = value.removesuffix("\r")
            row.append(value)
            at += 1
        if len(row) > 1 or text[begin:at].strip(SPACE):
            yield row


def integer(text):
    need(re.fullmatch("[+-]?[0-9]+", text) and len(text) < 4000, "not an integer")
    need(LEAST <= int(text) <= MOST, "beyond 64 bits")
    return int(text)


# A buffer: its live parts, size, alignment, where it is pinned, the row of what it is tied to and how far above; its id
# and lifetime, and the cells that name others.
# A row with clocks (start, end) or in arms (group: arm) gets its live parts when all rows are known.
Row = collections.namedtuple("Row", "parts size align pin root delta id life tie over clocks arms")


def row(cells):
    number = lambda name: integer(cells[name].strip(SPACE))
    after = (lambda end: end + 1) if "end" in cells else (lambda end: end)
    size, clocked = number("size"), ":" in cells["lower"] or ":" in cells.get("upper", "")
    need(not clocked or "upper" in cells, "clocks without upper")
    clocks = [tuple(integer(n) for n in cells[name].strip(SPACE).split(":")) for name in ("lower", "upper")] if clocked else None
    start, end = (0, 1) if clocked else (number("lower"), after(number("end" if "end" in cells else "upper")))
    align = number("alignment") if cells.get("alignment", "").strip(SPACE) else 1
    pin = number("offset") if cells.get("offset", "").strip(SPACE) else None
    need(cells["id"] and start < end <= MOST and size >= 0 and align >= 1, "a row out of range")
    need(pin is None or pin >= 0 and pin % align == 0 and pin + size <= MOST, "pin")
    parts, life = [], (start, end)
    for first, last in sorted(gap(word, after) for word in re.split("[%s]+" % SPACE, cells.get("gaps", "")) if word):
        need(start <= first < last <= end, "gaps out of range, or that overlap")
        parts.append((start, first))
        start = last
    parts = [(a, b) for a, b in parts + [(start, end)] if a < b]
    need(parts, "gaps that leave nothing")
    need(not clocked or len(parts) == 1 and not cells.get("gaps", "").strip(SPACE), "gaps beside clocks")
    words = [word.partition("=") for word in re.split("[%s]+" % SPACE, cells.get("exclusive", "")) if word]
    arms = {group: arm for group, sign, arm in words if group and arm}
    need(len(arms) == len(words), "an arm that is not GROUP=ARM, or a group twice")
    over = cells.get("over", "")
    return Row(parts, size, align, pin, None, 0, cells["id"], life, cells.get("tie", ""), over if over.strip(SPACE) else "", clocks, arms)


def gap(word, after):
    dash = word.find("-", 1)
    need(dash > 0, "a gap that is not A-B")
    return integer(word[:dash]), after(integer(word[dash + 1:]))


def both(a, b):
    """The first steps at which two buffers are both live."""
    shared = [(max(s, u), min(e, v)) for s, e in a.parts for u, v in b.parts if max(s, u) < min(e, v)]
    return min(shared, default=None)


def read(data):
    """The buffers of an instance and its pairs, (over, under, distance, equal), from the bytes of a file."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise Rejected("not UTF-8")
    table = list(records(text))
    need(table, "no header")
    header = [NAMES.get(name.strip(SPACE).replace("\u0130", "i").lower()) for name in table[0]]
    known = [name for name in header if name]
    need(len(set(known)) == len(known) and {"id", "lower", "size"} <= set(known), "header")
    need(("upper" in known) != ("end" in known), "upper or end")
    need(all(len(cells) == len(header) for cells in table[1:]), "a row of another length than the header")
    rows = [row({name: cell for name, cell in zip(header, cells) if name}) for cells in table[1:]]
    index = {r.id: i for i, r in enumerate(rows)}
    need(len(index) == len(rows), "an id twice")
    rows = together([tied(r, rows, index) for r in rows])
    pairs = [pair for i, r in enumerate(rows) for pair in over(r.over, i, index)]
    need(all(equal for _, _, _, equal in pairs) or not any(r.clocks or r.arms for r in rows), "a lead without a schedule")
    whole(rows, pairs)
    return rows, pairs


def meet(a, b):
    """Whether two rows are ever live together."""
    if any(b.arms.get(group, arm) != arm for group, arm in a.arms.items()):
        return False
    if a.clocks:
        dead = lambda x, y: all(e <= s for e, s in zip(x.clocks[1], y.clocks[0]))
        return not dead(a, b) and not dead(b, a)
    return both(a, b) is not None


def together(rows):
    """The rows with steps that say the same as clocks and arms: PROOFS.md, "Exclusive lives"."""
    if not any(r.clocks or r.arms for r in rows):
        return rows
    need(len(rows) <= 8192 and len({r.clocks and len(r.clocks[0]) for r in rows}) == 1, "clocks")
    for r in rows if rows[0].clocks else []:
        (start, end), components = r.clocks, len(rows[0].clocks[0])
        need(len(start) == len(end) == components and start != end and all(s <= e for s, e in zip(start, end)), "clocks")
    rank = sorted((i for i, r in enumerate(rows) if r.size), key=lambda i: (-rows[i].size, i))
    near = [sum(1 << s for s, j in enumerate(rank) if i != j and meet(rows[i], rows[j])) for i in rank]
    met, sets = [0] * len(rank), []
    bits = lambda mask: [k for k in range(mask.bit_length()) if mask >> k & 1]
    for r in range(len(rank)):
        while (left := (near[r] & ~met[r]) >> r + 1) or not near[r] and not met[r]:
            new, low, common = 1 << r, (left & -left) << r + 1, near[r]
            while low:
                new |= low
                common &= near[low.bit_length() - 1]
                low = common & -common
            for k in bits(new):
                met[k] |= new
            sets.append(new)
            need(len(sets) <= 65536, "more steps than are taken on")
    death = lambda k: ((rows[rank[k]].clocks or ((), ()))[1], rows[rank[k]].life[1], rank[k])
    left, chain = sorted(sets, key=lambda s: min(death(k) for k in bits(s))), []
    if len(left) > 8192:
        left, chain = [], left
    while left:
        chain.append(left.pop(max(range(len(left)), key=lambda k: (chain[-1] & left[k]).bit_count() if chain else -k)))
    parts = [[] for _ in rows]
    for t, members in enumerate(chain):
        for k in bits(members):
            own = parts[rank[k]]
            if own and own[-1][1] == t:
                own[-1] = (own[-1][0], t + 1)
            else:
                own.append((t, t + 1))
    parts = [p or [(0, 1)] for p in parts]
    return [r._replace(parts=p, life=(p[0][0], p[-1][1])) for r, p in zip(rows, parts)]


def tied(r, rows, index):
    """The row with its tie resolved."""
    if not r.tie:
        return r
    name, plus, delta = r.tie.rpartition("+")
    need(plus and name in index, "tied to nothing")
    delta, root = integer(delta), rows[index[name]]
    need(root is not r and not root.tie and r.pin is None, "tied to what is tied, or pinned too")
    need(delta >= 0 and delta + r.size <= MOST, "the distance of a tie")
    need(delta % r.align == 0 and root.align % r.align == 0, "the alignment of a tie")
    pin = None if root.pin is None else root.pin + delta
    need(pin is None or pin + r.size <= MOST, "tied beyond 64 bits")
    return r._replace(pin=pin, root=index[name], delta=delta)


def over(cell, i, index):
    """The pairs of one cell: an id may hold blanks, so words are put together until one ends in a distance."""
    start = 0
    for at in range(len(cell) + 1):
        if at < len(cell) and cell[at] not in " \t":
            continue
        word = cell[start:at].strip(" \t")
        if at < len(cell) and not re.fullmatch("(?s).*[+=]-?[0-9]+", word):
            continue
        start = at
        if word:
            sign = max(word.rfind("+"), word.rfind("="))
            need(sign >= 0 and word[:sign] in index, "over nothing")
            yield i, index[word[:sign]], integer(word[sign + 1:]), word[sign] == "="


def whole(rows, pairs):
    """Checks what concerns several buffers."""
    met = set()
    for y, x, distance, equal in pairs:
        need(y != x and distance >= 0 and (y, x, equal and distance, equal) not in met, "a pair of one, twice, or at a negative distance")
        met.add((y, x, equal and distance, equal))
        live = None if equal else both(rows[y], rows[x])
        need(live is None or live == (rows[y].life[0], rows[x].life[1]) and live[1] - live[0] == 1, "no handing over")
    bodies = {}
    for i, r in enumerate(rows):
        bodies.setdefault(i if r.root is None else r.root, []).append((r.delta, i))
    for body in [*bodies.values(), [(r.pin, i) for i, r in enumerate(rows) if r.pin is not None]]:
        for k, (at, i) in enumerate(body):
            for to, j in body[:k]:
                apart = at >= to + rows[j].size or to >= at + rows[i].size or not rows[i].size * rows[j].size
                need(apart or both(rows[i], rows[j]) is None or allowed(pairs, {i: at, j: to}), "tied or pinned onto another")
    low = [i for i, r in enumerate(rows) if r.size and r.align + r.size > MOST and r.pin is None and r.root is None]
    for i in low:
        for j in low[:low.index(i)]:
            need(both(rows[i], rows[j]) is None or allowed(pairs, {i: 0, j: 0}), "either fits in 64 bits at the bottom alone")
    live = 0
    for _, size in sorted(end for r in rows for a, b in r.parts for end in ((a, r.size), (b, -r.size))):
        live += size
        need(live <= MOST, "more live bytes than 64 bits")


def allowed(pairs, at):
    """Whether a pair lets two buffers lie so."""
    return any(at[y] - at[x] == distance if equal else at[x] - at[y] >= distance
               for y, x, distance, equal in pairs if y in at and x in at)
