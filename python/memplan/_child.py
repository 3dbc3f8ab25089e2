"""The process behind the module: `memplan serve`, one for each Python process, started at the first call.

Any number of threads may ask; a reader thread hands each answer to who asked. After a fork the new process has a child
of its own. Where the child dies, who waits gets ChildDied, and the next call starts another.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import sysconfig
import threading
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence

from ._errors import ChildDied, Failure


class Answer(NamedTuple):
    exit: int
    out: str
    err: str
    offsets: Optional[bytes]  # 64-bit integers, little-endian


def program() -> str:
    """Path of the command: $MEMPLAN_PROGRAM, the one installed with this module, or that on the PATH."""
    told = os.environ.get("MEMPLAN_PROGRAM")
    if told:
        return told
    name = "memplan.exe" if os.name == "nt" else "memplan"
    here = pathlib.Path(__file__).resolve().parent.parent
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    for folder in (sysconfig.get_path("scripts"), pathlib.Path(sys.executable).parent, here / "bin", user):
        path = pathlib.Path(folder) / name
        if path.is_file():
            return str(path)
    found = shutil.which(name)
    if found is None:
        raise Failure("the command memplan is not installed with this module, and not on the PATH; MEMPLAN_PROGRAM may name it")
    return found


def _environment() -> Dict[str, str]:
    """The child's: HiGHS is the one that Python finds, whatever folder it is in."""
    env = dict(os.environ)
    if "MEMPLAN_HIGHS" not in env:
        spec = importlib.util.find_spec("highsbox")
        if spec is not None and spec.origin is not None:
            dist = pathlib.Path(spec.origin).parent / "highs_dist"
            for file in ("lib/libhighs.so", "lib/libhighs.dylib", "bin/highs.dll"):
                if (dist / file).is_file():
                    env["MEMPLAN_HIGHS"] = str(dist / file)
    return env


class _Child:
    def __init__(self) -> None:
        path = program()
        try:
            self.process = subprocess.Popen(
                [path, "serve"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(),
                start_new_session=os.name != "nt",  # Ctrl-C is for Python, which cancels what it waits for
            )
        except OSError as fault:
            raise Failure(f"the command memplan cannot be run: {fault}") from None
        self.writing = threading.Lock()
        self.waiting: Dict[int, "queue.SimpleQueue[Any]"] = {}
        self.last = 0
        self.dead: Optional[str] = None
        self.state = threading.Lock()  # of what is above
        threading.Thread(target=self._read, name="memplan", daemon=True).start()

    def enter(self) -> "tuple[int, queue.SimpleQueue[Any]]":
        with self.state:
            self.last += 1
            answers: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
            if self.dead is None:
                self.waiting[self.last] = answers
            else:
                answers.put(ChildDied(self.dead))
            return self.last, answers

    def leave(self, number: int) -> bool:
        """No more is wanted; whether the answer was still to come."""
        with self.state:
            return self.waiting.pop(number, None) is not None

    def send(self, request: Mapping[str, Any], payload: Sequence[bytes] = ()) -> None:
        assert self.process.stdin is not None
        data = memoryview(b"".join([json.dumps(request).encode(), b"\n", *payload]))
        with self.writing:
            try:
                while len(data) > 0:
                    data = data[self.process.stdin.write(data) or 0:]
            except (OSError, ValueError):  # closed: the reader finds out why
                pass

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            pipe, held = self.process.stdout, bytearray()
            while True:
                end = held.find(b"\n")
                if end < 0:
                    part = pipe.read(1 << 16)
                    if not part:
                        break
                    held += part
                    continue
                message = json.loads(held[:end])
                del held[:end + 1]
                offsets = None
                if "offsets" in message:
                    size = 8 * message["offsets"]
                    while len(held) < size:
                        part = pipe.read(max(1 << 16, size - len(held)))
                        if not part:
                            return
                        held += part
                    offsets = bytes(held[:size])
                    del held[:size]
                self._hand(message, offsets)
        except (OSError, ValueError):
            pass
        finally:
            self._end()

    def _hand(self, message: Dict[str, Any], offsets: Optional[bytes]) -> None:
        with self.state:
            if "progress" in message:
                answers = self.waiting.get(message["id"])
                if answers is not None:
                    answers.put(message["progress"])
                return
            answers = self.waiting.pop(message["id"], None)
        if answers is not None:
            answers.put(Answer(message["exit"], message["out"], message["err"], offsets))

    def _end(self) -> None:
        code = self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.close()
        with self.state:
            self.dead = f"the process behind memplan ended, with status {code}"
            waiting, self.waiting = self.waiting, {}
        for answers in waiting.values():
            answers.put(ChildDied(self.dead))

    def close(self) -> None:
        """Closes the child's input: it ends."""
        assert self.process.stdin is not None
        with self.writing:
            self.process.stdin.close()


_child: Optional[_Child] = None
_starting = threading.Lock()


def _current() -> _Child:
    global _child
    with _starting:
        if _child is None or _child.dead is not None:
            _child = _Child()
        return _child


def _after_fork() -> None:
    """In the new process the child is another's: its pipes are closed here, or it would outlive its parent."""
    global _child, _starting
    _starting = threading.Lock()
    if _child is not None:
        for pipe in (_child.process.stdin, _child.process.stdout):
            assert pipe is not None
            pipe.close()
        _child.process.returncode = 0  # no child of this process: not to be waited for
        _child = None


def _at_exit() -> None:
    if _child is not None and _child.dead is None:
        _child.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)


def ask(args: Sequence[str], *, files: Optional[Mapping[str, str]] = None, columns: Optional[Mapping[str, bytes]] = None,
        count: int = 0, named: Optional[Mapping[str, Any]] = None, stdin: str = "", progress: Optional[Callable[[Any], object]] = None) -> Answer:
    """Runs a command line of memplan. An exception on the way, of Ctrl-C or of the callback, cancels it."""
    child = _current()
    number, answers = child.enter()
    request: Dict[str, Any] = {"id": number, "args": list(args)}
    if stdin:
        request["in"] = stdin
    if files:
        request["files"] = dict(files)
    if columns is not None:
        request.update(named or {}, count=count, columns=list(columns))
    if progress is not None:
        request["progress"] = True
    try:
        child.send(request, list(columns.values()) if columns is not None else ())
        while True:
            message = answers.get()
            if isinstance(message, Answer):
                return message
            if isinstance(message, ChildDied):
                raise ChildDied(str(message))
            if progress is not None:
                progress(message)
    finally:
        if child.leave(number):
            child.send({"id": number, "cancel": True})
