"""What memplan answers."""

from __future__ import annotations

import array
import dataclasses
import html
import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from . import _child
from ._buffers import Buffers, Graph


@dataclasses.dataclass(frozen=True)
class Progress:
    """An improvement on the way: bytes, and seconds since the planner began. peak is None before there is a plan."""

    peak: Optional[int]
    bound: int
    seconds: float
    work: int
    source: str


@dataclasses.dataclass(frozen=True)
class Stat:
    """What is known of an arena without planning it. Bytes and steps; sum is None beyond 64 bits."""

    instance: str
    buffers: int
    load: int
    sum: Optional[int]
    conflicts: int
    sections: int
    largest: int
    capacity: int
    raw: Mapping[str, Any]


class Plan:
    """An offset for every buffer, checked by code that shares nothing with the planner.

    peak: bytes that the arena needs; bound: no plan needs less; load: bytes live at once.
    status: "optimal", "feasible", "infeasible" or "unknown"; proof: what the bound rests on: "load", "search", "mip", "none".
    raw: all that `memplan plan --format json` says, without offsets.
    """

    def __init__(self, raw: Dict[str, Any], source: Any, placed: Optional["array.array[int]"]) -> None:
        self._source: Any = source
        self._offsets: Optional[Dict[Any, int]] = raw.pop("offsets", None)
        self._placed = placed
        self.raw: Mapping[str, Any] = raw
        self.instance: str = raw["instance"]
        self.planner: str = raw["planner"]
        self.peak: int = raw["peak"]
        self.bound: int = raw["bound"]
        self.load: int = raw["load"]
        self.status: str = raw["status"]
        self.proof: str = raw["proof"]
        self.schedule: Optional[List[str]] = raw.get("schedule")
        self.spaces: List[Dict[str, Any]] = raw.get("spaces", [])

    @property
    def optimal(self) -> bool:
        """Whether no plan needs less, proven."""
        return self.status == "optimal"

    @property
    def offsets(self) -> Dict[Any, int]:
        """Byte offsets by id: the buffers' own, their numbers from 0, or the names of a graph's tensors."""
        if self._offsets is None:
            assert self._placed is not None
            names = self._source.names()
            self._offsets = dict(zip(names, self._placed))
        return self._offsets

    @property
    def array(self) -> "array.array[int]":
        """Byte offsets in the order of the buffers; numpy.asarray takes it without a copy."""
        if self._placed is None:
            self._placed = array.array("q", self.offsets.values())
        return self._placed

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, id: Any) -> int:
        return self.offsets[id]

    def __iter__(self) -> Iterator[int]:
        """Offsets in the order of the buffers."""
        return iter(self.array)

    def __repr__(self) -> str:
        known = "optimal" if self.optimal else f"bound {self.bound}"
        return f"<memplan.Plan of {self.instance!r} by {self.planner}: {len(self)} buffers, peak {self.peak} bytes, {known}>"

    def svg(self, width: int = 1000, height: int = 600) -> str:
        """A picture: addresses upwards, steps to the right."""
        files: Dict[str, str] = {}
        if isinstance(self._source, Graph):
            file = self._source.path or "graph.json"
            if self._source.path is None:
                files[file] = self._source.text()
            files["plan.json"] = json.dumps({**self.raw, "offsets": self.offsets})
            plan = "plan.json"
        else:
            file, plan = "buffers.csv", "plan.csv"
            files[file] = self._source.csv()
            files[plan] = self._source.csv(self.array)
        from . import _run
        return _run(["plot", "plan", file, plan, "--width", str(width), "--height", str(height), "--format", "svg"], files=files).out

    def _repr_svg_(self) -> Optional[str]:
        """None where a notebook would choke on it."""
        return self.svg(800, 400) if len(self) <= 10_000 else None

    def _repr_html_(self) -> str:
        worth = "optimal" if self.optimal else f"bound {self.bound:,}, gap {100 * (self.peak / max(self.bound, 1) - 1):.2f} %"
        return f"<p><b>{html.escape(self.instance)}</b> by {html.escape(self.planner)}: {len(self):,} buffers, peak {self.peak:,} bytes, {worth}</p>{self._repr_svg_() or ''}"


class Comparison:
    """Planners side by side: a record for each run, as `memplan bench --format json` has it.

    records: dicts with "instance", "planner", "peak", "bound", "load", "status", and "error" where a run failed.
    """

    def __init__(self, records: List[Dict[str, Any]]) -> None:
        self.records: Sequence[Dict[str, Any]] = records

    def table(self, format: str = "text") -> str:
        """The tables of `memplan table`: text, markdown, csv, latex or html."""
        from . import _run
        lines = "".join(json.dumps(r) + "\n" for r in self.records)
        return _run(["table", "-", "--format", format], stdin=lines).out

    def peak(self, planner: str, instance: Optional[str] = None) -> Optional[int]:
        """The peak of a planner, of the only instance or the named one, in bytes; None where it has no plan."""
        for r in self.records:
            if r["planner"] == planner and (instance is None or str(instance) == r["instance"]):
                peak: Optional[int] = r["peak"]
                return peak
        raise KeyError((planner, instance))

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<memplan.Comparison of {len(self.records)} runs>"

    def _repr_html_(self) -> str:
        return self.table("html")


def offsets_of(answer: _child.Answer) -> Optional["array.array[int]"]:
    if answer.offsets is None:
        return None
    import sys
    placed: "array.array[int]" = array.array("q")
    placed.frombytes(answer.offsets)
    if sys.byteorder == "big":
        placed.byteswap()
    return placed
