"""What can be planned, from whatever form people have it in."""

from __future__ import annotations

import array
import csv
import dataclasses
import io
import json
import operator
import os
import sys
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import InputError

#: Names by which lower, upper and size go elsewhere. An attribute end is the step after the last, as in Python.
_OTHERS = {"lower": ("lower", "start", "begin"), "upper": ("upper", "end"), "size": ("size", "bytes"),
           "alignment": ("alignment", "align"), "offset": ("offset",), "id": ("id", "name", "buffer")}
#: Columns that the command reads from files alone.
OF_FILES = ("gaps", "tie", "over", "exclusive")
#: What a column or key of these names means, nobody can know here, or only the command reads.
_UNREAD = {"end": "is it the last step, as in the command's tables, or the one after it? Name that one upper",
           **{n: "the command reads it from files: write the table to one, and pass its path" for n in OF_FILES}}
_COLUMNS = ("lower", "upper", "size", "alignment", "offset")


def numbers(values: Any, name: str) -> "array.array[int]":
    """Whole numbers of 64 bits: of a numpy array or a column of pandas without a loop. A missing offset is -1."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if hasattr(values, "dtype") and hasattr(values, "astype"):
        if values.ndim != 1:
            raise InputError(f"column {name!r}: want one dimension, got {values.ndim}")
        if values.dtype.kind in "iub":
            whole = values.astype("<i8")
            wrong = (whole < 0) & (values.dtype.kind == "u")
        elif values.dtype.kind == "f":
            missing = values != values
            wrong = abs(values) >= 2.0**63 if name == "offset" else missing | (abs(values) >= 2.0**63)
            filled = values.copy()
            filled[missing | wrong] = -1
            whole = filled.astype("<i8")
            wrong = wrong | (whole != filled)
        else:
            return numbers(values.tolist(), name)
        if wrong.any():
            k = int(wrong.argmax())
            raise InputError(f"column {name!r}: {values[k]} of buffer {k} is no whole number of 64 bits")
        got: "array.array[int]" = array.array("q")
        got.frombytes(whole.tobytes())
        return got
    got = array.array("q")
    for k, v in enumerate(values):
        try:
            got.append(-1 if v is None and name == "offset" else int(v) if isinstance(v, float) and v.is_integer() else operator.index(v))
        except (OverflowError, TypeError):
            raise InputError(f"column {name!r}: {v!r} of buffer {k} is no whole number of 64 bits") from None
    return got


@dataclasses.dataclass
class Buffers:
    """Buffers to be planned, as columns.

    lower, upper: steps, live at lower and dead at upper; size: bytes; alignment: the offset is a multiple of it;
    offset: where the buffer is pinned, below 0 where it is not. ids: names, else the numbers from 0.
    """

    columns: Dict[str, "array.array[int]"]
    ids: Optional[List[Any]] = None
    name: str = "buffers"

    def __post_init__(self) -> None:
        sizes = {len(c) for c in self.columns.values()} | ({len(self.ids)} if self.ids is not None else set())
        if not {"lower", "upper", "size"} <= self.columns.keys():
            raise InputError("want columns lower, upper and size")
        if len(sizes) > 1:
            raise InputError(f"columns of unequal lengths: {sorted(sizes)}")
        if self.ids is not None and len(set(self.ids)) != len(self.ids):
            raise InputError(f"buffer {first_twice(self.ids)!r}: there are two of this id")

    def __len__(self) -> int:
        return len(self.columns["size"])

    def payload(self) -> Dict[str, bytes]:
        """The columns as a request of serve has them."""
        return {name: little(column) for name, column in self.columns.items()}

    def names(self) -> Sequence[Any]:
        return self.ids if self.ids is not None else range(len(self))

    def csv(self, offsets: Optional[Sequence[int]] = None) -> str:
        """The buffers, and perhaps a plan of them, as memplan's table."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = [n for n in _COLUMNS if n in self.columns and (n != "offset" or offsets is None)]
        rows: List[Sequence[Any]] = [["" if n == "offset" and v < 0 else v for v in self.columns[n]] for n in names]
        if offsets is not None:
            names, rows = names + ["offset"], rows + [offsets]
        writer.writerow(["id", *names])
        writer.writerows(zip(self.names(), *rows))
        return out.getvalue()


def first_twice(ids: Iterable[Any]) -> Any:
    seen = set()
    for i in ids:
        if i in seen:
            return i
        seen.add(i)
    return None


def little(column: "array.array[int]") -> bytes:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column.tobytes()


class Graph:
    """A model: operators in an order, and the tensors between them.

    spec: memplan's JSON graph (docs/formats.md), or None where path is a file that the command reads itself.
    """

    def __init__(self, spec: Optional[Mapping[str, Any]] = None, *, path: Optional[str] = None, name: str = "graph") -> None:
        self.spec, self.path, self.name = spec, path, name

    def text(self) -> str:
        return json.dumps(self.spec)


Source = Union[Buffers, Graph, str, "os.PathLike[str]", Mapping[Any, Any], Iterable[Any]]


def read(what: Source) -> Union[Buffers, Graph]:
    """Buffers, or a graph, of what people have; see memplan.plan."""
    if isinstance(what, (Buffers, Graph)):
        return what
    if isinstance(what, (str, os.PathLike)):
        return Graph(path=os.fspath(what))
    if isinstance(what, Mapping) and ("tensors" in what or "buffers" in what):
        return Graph(what)
    columns = table(what)
    if columns is not None:
        ids = columns.pop("id", None)
        return Buffers({n: numbers(v, n) for n, v in columns.items()}, None if ids is None else list(ids))
    if isinstance(what, Mapping):
        return rows([(i, *values) for i, values in what.items()], True)
    dtype: Any = getattr(what, "dtype", None)
    names: Any = getattr(what, "columns", getattr(dtype, "names", None))
    if names is not None:
        missing = next(n for n in _COLUMNS[:3] if column_name(names, n) is None)
        raise InputError(f"no column {missing}; the columns are {', '.join(map(str, names))}")
    if dtype is not None:
        return matrix(what)
    if isinstance(what, (bytes, bytearray)) or not isinstance(what, Iterable):
        raise TypeError(f"want buffers, a model or a file's name (see memplan.plan), got {type(what).__name__}")
    return rows(list(what), False)


def table(what: Any) -> Optional[Dict[str, Any]]:
    """Columns by name: of a dict, a frame of pandas, or a structured array of numpy; None where it is none."""
    names = what if isinstance(what, Mapping) or hasattr(what, "columns") else getattr(getattr(what, "dtype", None), "names", None)
    if names is None or any(column_name(names, n) is None for n in ("lower", "upper", "size")):
        return None
    known(names)
    found = {n: column_name(names, n) for n in _OTHERS}
    columns = {n: what[name] for n, name in found.items() if name is not None}
    index = getattr(what, "index", None)
    if "id" not in columns and index is not None and (getattr(index, "start", None), getattr(index, "step", None)) != (0, 1):  # not the rows' numbers
        columns["id"] = index
    return columns


def known(names: Any) -> None:
    """Raises InputError where a table has a column, or a mapping a key, that would be dropped although it says something."""
    for name, why in _UNREAD.items():
        if name in names:
            raise InputError(f"column {name!r}: {why}")


def column_name(names: Any, name: str) -> Optional[str]:
    return next((other for other in _OTHERS[name] if other in names), None)


def matrix(what: Any) -> Buffers:
    """A row a buffer: lower, upper, size, and perhaps alignment and offset."""
    if what.ndim != 2 or not 3 <= what.shape[1] <= 5:
        raise InputError(f"want an array of n rows of lower, upper, size, and perhaps alignment and offset; got the shape {what.shape}")
    return Buffers({n: numbers(what[:, k], n) for k, n in enumerate(_COLUMNS[:what.shape[1]])})


def rows(list_of: List[Any], with_id: bool) -> Buffers:
    """A tuple, mapping or object a buffer. Tuples are (lower, upper, size[, alignment[, offset]]), after an id that is a text."""
    if not list_of:
        return Buffers({n: array.array("q") for n in _COLUMNS[:3]})
    first = list_of[0]
    if isinstance(first, (tuple, list)):
        return tuples(list_of, with_id or isinstance(first[0] if first else None, str))

    if isinstance(first, Mapping):
        known(set().union(*list_of))

    def get(b: Any, n: str) -> Any:
        return b.get(n) if isinstance(first, Mapping) else getattr(b, n, None)

    columns: Dict[str, List[Any]] = {}
    for name, others in _OTHERS.items():
        other = next((o for o in others if get(first, o) is not None), None)
        if other is None and name in _COLUMNS[:3]:
            raise InputError(f"buffer 0, {first!r}, has no {name}")
        if other is not None:
            columns[name] = [get(b, other) for b in list_of]
    ids = columns.pop("id", None)
    return Buffers({n: numbers(v, n) for n, v in columns.items()}, ids)


def tuples(list_of: List[Any], with_id: bool) -> Buffers:
    width = len(list_of[0]) - with_id
    if not 3 <= width <= 5:
        raise InputError(f"buffer {list_of[0]!r}: want lower, upper, size, and perhaps alignment and offset, after an id that is a text")
    for k, row in enumerate(list_of):
        if len(row) != width + with_id:
            raise InputError(f"buffer {k}, {row!r}: {len(row)} entries, the first has {width + with_id}")
    all_columns: List[Tuple[Any, ...]] = list(zip(*list_of))
    ids = list(all_columns.pop(0)) if with_id else None
    return Buffers({n: numbers(v, n) for n, v in zip(_COLUMNS, all_columns)}, ids)
