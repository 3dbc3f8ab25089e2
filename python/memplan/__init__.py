"""Optimal static memory planning for tensors.

    >>> import memplan
    >>> plan = memplan.plan([(0, 2, 64), (1, 3, 32), (2, 4, 64)])   # (lower, upper, size): live at lower, dead at upper
    >>> plan.peak, plan.optimal, plan.offsets
    (96, True, {0: 0, 1: 64, 2: 0})
    >>> memplan.verify([(0, 2, 64), (1, 3, 32)], [0, 32])
    Traceback (most recent call last):
    memplan.Refused: the plan does not hold:
    buffers "0" at [0,64) and "1" at [32,64) overlap, both live at steps [1,2)

Sizes and offsets are bytes, times are steps of a schedule. What can be planned is described at memplan.plan; errors are
memplan.Error and its kinds, and carry what the command says. Every plan is verified before it is returned. Threads may
call at once; Ctrl-C, and an exception of a callback, end a call at once.
"""

from __future__ import annotations

import array
import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _child
from ._buffers import OF_FILES, Buffers, Graph, Source, numbers, read
from ._errors import ChildDied, Error, Failure, InputError, LimitReached, Refused, of
from ._graphs import from_onnx, from_torch
from ._results import Comparison, Plan, Progress, Stat, offsets_of

__all__ = ["Buffers", "ChildDied", "Comparison", "Error", "Failure", "Graph", "InputError", "LimitReached", "Plan", "Progress",
           "Refused", "Source", "Stat", "compare", "corpus", "from_onnx", "from_torch", "plan", "planners", "stat", "verify", "version"]

__version__ = "0.1.0"

for _kind in (Error, Refused, InputError, LimitReached, Failure, ChildDied):
    _kind.__module__ = "memplan"  # where people import them from

Told = Callable[[Progress], object]


def plan(what: Source, *, planner: str = "exact", capacity: Union[int, str, None] = None, time_limit: Union[float, str, None] = 60.0, rounds: int = 0,
         threads: int = 0, seed: int = 0, require_optimal: bool = False, schedule: Optional[str] = None,
         progress: Optional[Told] = None, options: Sequence[str] = ()) -> Plan:
    """Gives every buffer an offset, so that no two that are live at once overlap and the arena is small.

    what: buffers, as tuples (lower, upper, size[, alignment[, offset]]), perhaps after an id that is a text; as a dict of
        such tuples by id; as dicts or objects with lower (or start), upper, size, and perhaps id, alignment, offset, where an
        object may have end for upper; as a dict of columns, a frame of pandas, whose index names the buffers where no column
        id does, or an array of numpy with a row a buffer. Or a model: the path of a file that the command reads, a
        memplan.Graph, or memplan's JSON as a dict.
    planner: a name of memplan.planners(). capacity: bytes to fit into, or a text, "64KiB". time_limit: seconds, or a text,
        "500ms", None for none; rounds: a limit in counted work, which repeats. threads: 0 is one a processor. schedule: an
        order for a model's operators.
    progress: called with each improvement, in this thread. options: more flags of `memplan plan`.

    Raises Refused where the capacity is proven too small, LimitReached where a limit came before an answer (its .plan is the
    best so far), InputError for bad input with every fault, Failure for the rest.
    """
    source = read(what)
    args = ["--planner", planner, "--format", "json", "--threads", str(threads), "--seed", str(seed), *options]
    args += ["--time-limit", _limit(time_limit)]
    args += ["--rounds", str(rounds)] if rounds else []
    args += ["--capacity", str(capacity)] if capacity is not None else []
    args += ["--require-optimal"] if require_optimal else []
    args += ["--schedule", schedule] if schedule is not None else []
    told: Optional[Callable[[Any], object]] = None
    if progress is not None:
        tell = progress
        told = lambda at: tell(Progress(**at))  # noqa: E731
    answer = _ask("plan", source, args, told)
    found = None
    if answer.out:
        raw = json.loads(answer.out)
        if raw["peak"] is not None and ("offsets" in raw or answer.offsets is not None):
            found = Plan(raw, source, offsets_of(answer))
    if answer.exit != 0 or found is None:
        raise of(answer.exit, answer.err, found)
    return found


def verify(what: Source, offsets: Union[Plan, Mapping[Any, int], Sequence[int]], *, capacity: Optional[int] = None) -> None:
    """Checks a plan: offsets by id, or in the order of the buffers. Raises Refused with every fault where it does not hold."""
    source = read(what)
    args = ["--capacity", str(capacity)] if capacity is not None else []
    if isinstance(source, Graph):
        by_id = offsets.offsets if isinstance(offsets, Plan) else offsets
        if not isinstance(by_id, Mapping):
            raise InputError("of a graph, want offsets by the tensors' names")
        answer = _ask("verify", source, args, None, {"the plan": json.dumps({"schema": 1, "offsets": dict(by_id)})}, ["the plan"])
    else:
        placed = offsets.array if isinstance(offsets, Plan) else _placed(source, offsets)
        columns = {n: c for n, c in source.columns.items() if n != "offset"}
        if len(placed) != len(source):
            raise InputError(f"{len(placed)} offsets for {len(source)} buffers")
        answer = _ask("verify", Buffers({**columns, "plan": placed}, source.ids, source.name), args, None, {}, ["-"])
    if answer.exit != 0:
        raise of(answer.exit, answer.err.replace("memplan: - does", "memplan: the plan does"))


def _placed(source: Buffers, offsets: Union[Mapping[Any, int], Sequence[int]]) -> "array.array[int]":
    if isinstance(offsets, Mapping):
        missing = [i for i in source.names() if i not in offsets]
        if missing:
            raise InputError(f"buffer {missing[0]!r}: the plan has no offset for it")
        offsets = [offsets[i] for i in source.names()]
    return numbers(offsets, "plan")


def stat(what: Source) -> Stat:
    """What is known without planning: the load, what no reuse would take, counts. Of a model with several memories, the first."""
    return stats(what)[0]


def stats(what: Source) -> List[Stat]:
    """What is known of each arena."""
    source = read(what)
    answer = _ask("stat", source, ["--format", "json"])
    if answer.exit != 0:
        raise of(answer.exit, answer.err)
    names = ("instance", "buffers", "load", "sum", "conflicts", "sections", "largest", "capacity")
    raws = [json.loads(line) for line in answer.out.splitlines()]
    return [Stat(**{n: raw[n] for n in names}, raw=raw) for raw in raws]


def compare(instances: Union[Mapping[str, Source], Sequence[Union[str, "os.PathLike[str]"]], str],
            planners: Union[Sequence[str], str] = ("first-fit-decreasing", "best-fit-decreasing", "exact"),
            *, time_limit: Union[float, str, None] = 10.0, rounds: int = 0, threads: int = 1, options: Sequence[str] = ()) -> Comparison:
    """Runs planners side by side, and says how far each is from the proven optimum.

    instances: by name, whatever memplan.plan takes (a path keeps its own name); or a list of names of files, folders, suites
        and instances of the corpus.
    options: more flags of `memplan bench`. A run that failed is a record with "error".
    """
    args = ["bench", "--planner", planners if isinstance(planners, str) else ",".join(planners), "--format", "json", "--threads", str(threads), *options]
    args += ["--time-limit", _limit(time_limit)]
    args += ["--rounds", str(rounds)] if rounds else []
    files: Dict[str, str] = {}
    called: Dict[str, str] = {}
    if isinstance(instances, str):
        args.append(instances)
    elif isinstance(instances, Mapping):
        for name, what in instances.items():
            source = read(what)
            if isinstance(source, Graph) and source.path is not None:
                args.append(source.path)
                continue
            instance = f"given-{len(called)}"  # a file's name says more than a name: a folder, a capacity
            file = f"{instance}.{'json' if isinstance(source, Graph) else 'csv'}"
            called[instance], files[file] = str(name), source.text() if isinstance(source, Graph) else source.csv()
            args.append(file)
    else:
        names = list(instances)
        if not all(isinstance(n, (str, os.PathLike)) for n in names):
            raise TypeError("want instances by their names, as a dict, or a list of names and paths")
        args += [os.fspath(n) for n in names]
    answer = _child.ask(args, files=files)
    records = [json.loads(line) for line in answer.out.splitlines()]
    if not records:
        raise of(answer.exit, answer.err)
    for record in records:
        record["instance"] = called.get(record["instance"], record["instance"])
    return Comparison(records)


def _limit(seconds: Union[float, str, None]) -> str:
    """A limit of time as the command has it."""
    if seconds is None or isinstance(seconds, str):
        return seconds or "none"
    if not 0 <= seconds < 1e9:
        raise InputError(f"time_limit {seconds}: want seconds from 0, or None for no limit")
    return f"{round(1e9 * seconds)}ns"


def corpus(name: str) -> Buffers:
    """An instance of the built-in corpus, or of one of its families: "seven-above", "uniform-1000-60-1"."""
    import csv
    rows = list(csv.DictReader(_run(["corpus", name]).out.splitlines()))
    if not rows or "lower" not in rows[0]:
        raise InputError(f"{name} is no single instance of the corpus")
    for column in OF_FILES:
        if column in rows[0]:
            raise InputError(f"{name} has {column}, which columns do not say: plan it by its name, memplan.plan({name!r})")
    unsaid = {"alignment": 1, "offset": -1}
    names = [n for n in ("lower", "upper", "size", *unsaid) if n in rows[0]]
    columns = {n: array.array("q", (int(r[n] or unsaid[n]) for r in rows)) for n in names}
    return Buffers(columns, [r["id"] for r in rows], name)


def planners() -> Dict[str, str]:
    """Every planner, with its definition in a line."""
    return dict(line.split(None, 1) for line in _run(["planners"]).out.splitlines())


def version() -> str:
    """What `memplan version` says: the program's version, and which HiGHS was found where."""
    return _run(["version"]).out


def _run(args: Sequence[str], *, files: Optional[Mapping[str, str]] = None, stdin: str = "") -> _child.Answer:
    answer = _child.ask(args, files=files, stdin=stdin)
    if answer.exit != 0:
        raise of(answer.exit, answer.err)
    return answer


def _ask(verb: str, source: Union[Buffers, Graph], args: Sequence[str], progress: Optional[Callable[[Any], object]] = None,
         files: Optional[Mapping[str, str]] = None, more: Sequence[str] = ()) -> _child.Answer:
    if isinstance(source, Buffers):
        named = {"name": source.name} if source.ids is None else {"name": source.name, "ids": [str(i) for i in source.ids]}
        return _child.ask([verb, "-", *more, *args], columns=source.payload(), count=len(source), named=named, progress=progress)
    held = dict(files or {})
    file = source.path
    if file is None:
        file = source.name + ".json"
        held[file] = source.text()
    return _child.ask([verb, file, *more, *args], files=held, progress=progress)
