"""What can go wrong, by the exit status of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._results import Plan


class Error(Exception):
    """Something went wrong; the text is what the command says.

    exit: the command's exit status, see README.md.
    plan: the best plan so far, where there is one; verified, but not what was asked for.
    """

    exit: int = 4

    def __init__(self, message: str, plan: Optional[Plan] = None) -> None:
        super().__init__(message)
        self.plan = plan


class Refused(Error):
    """The answer is no, proven: a plan does not hold, or a capacity is too small."""

    exit = 1


class InputError(Error, ValueError):
    """Bad input, or a bad argument; the text names every fault."""

    exit = 2


class LimitReached(Error):
    """A limit came before the answer: no plan, a capacity undecided, an optimum unproven."""

    exit = 3


class Failure(Error):
    """The program failed, or a solver did, or is not there."""

    exit = 4


class ChildDied(Failure):
    """The process behind the module ended while it worked; the next call starts another."""


def of(exit: int, message: str, plan: Optional[Plan] = None) -> Error:
    """The error of an exit status."""
    kind = {1: Refused, 2: InputError, 3: LimitReached}.get(exit, Failure)
    text = message.strip()
    return kind(text[len("memplan: "):] if text.startswith("memplan: ") else text, plan)
