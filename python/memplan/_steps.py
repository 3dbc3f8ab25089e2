"""What a function with branches makes and uses, step by step, and when each of its tensors lives."""

from __future__ import annotations

import dataclasses
from typing import AbstractSet, FrozenSet, Iterator, List, Optional, Sequence, Set, Union

from ._errors import Failure


@dataclasses.dataclass(eq=False)
class Tensor:
    """Bytes that a function makes. Steps first and last are both included; storage is what it lies in, None where it has its own."""

    name: str
    size: int
    device: int = 0
    storage: Optional[int] = None
    offset: int = 0
    first: int = -1
    last: int = -1


@dataclasses.dataclass
class Step:
    """Makes a tensor, or uses some."""

    made: Optional[Tensor]
    used: FrozenSet[Tensor] = frozenset()


@dataclasses.dataclass
class Branches:
    """Only one of them runs."""

    parts: Sequence["Steps"]


Steps = List[Union[Step, Branches]]


def lives(steps: Steps) -> List[Tensor]:
    """Sets first and last of each tensor: steps are counted in the order of the text, one branch after the other. Where two
    tensors are live together on some way through the branches, these intervals meet: every way is in that order."""
    found = []
    for at, step in enumerate(_all(steps)):
        if step.made is not None:
            step.made.first = step.made.last = at
            found.append(step.made)
        for tensor in step.used:
            tensor.last = at
    return found


def _all(steps: Steps) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Step):
            yield step
        else:
            for part in step.parts:
                yield from _all(part)


def made(steps: Steps) -> Set[Tensor]:
    return {step.made for step in _all(steps) if step.made is not None}


def check(steps: Steps, after: AbstractSet[Tensor] = frozenset()) -> AbstractSet[Tensor]:
    """Goes backwards over every way, from what is live after it; gives what is live before it. Raises Failure where a tensor is
    made over one that is live."""
    live = set(after)
    for step in reversed(steps):
        if isinstance(step, Branches):
            elsewhere = {t for part in step.parts for t in made(part)}
            live = set().union(*(check(part, (live - elsewhere) | (live & made(part))) for part in step.parts))
            continue
        new = step.made
        if new is not None:
            live.discard(new)
            for old in live:
                if (new.storage is not None and new.storage == old.storage
                        and new.offset < old.offset + old.size and old.offset < new.offset + new.size):
                    raise Failure(f"{new.name} is made over {old.name}, which is live")
        live |= step.used
    return live
