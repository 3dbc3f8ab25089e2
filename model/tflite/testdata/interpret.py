"""Runs models with TensorFlow Lite Micro's own interpreter, for the tests.

Each line of standard input is a JSON object {"model": path, "arena": bytes,
"runs": number}; each gets a line of JSON on standard output: {"head", "total",
"outputs"}, the arena's head and head plus tail as the interpreter reports them,
and a digest of all outputs of so many runs on fixed pseudo-random inputs; or
{"error"}. Every model runs in a process of its own: the interpreter may crash on
a bad plan.
"""
import hashlib
import json
import os
import random
import re
import sys
import tempfile

import numpy
from tflite_micro import runtime


def each(details):
    """The details of all inputs or outputs; past the last one details raises."""
    found = []
    while True:
        try:
            found.append(details(len(found)))
        except Exception:
            return found


def values(draw, details):
    shape, dtype = tuple(details["shape"]), numpy.dtype(details["dtype"])
    count = int(numpy.prod(shape)) if shape else 1
    if dtype.kind == "f":
        flat = [draw.uniform(-1, 1) for _ in range(count)]
    elif dtype.kind == "b":
        flat = [draw.random() < 0.5 for _ in range(count)]
    else:
        flat = [draw.randint(-100, 100) % (100 if dtype.kind == "u" else 1000) for _ in range(count)]
    return numpy.array(flat).astype(dtype).reshape(shape)


def run(model, arena, runs):
    interpreter = runtime.Interpreter.from_file(model, arena_size=arena)
    inputs = each(interpreter.get_input_details)
    outputs = len(each(interpreter.get_output_details))
    draw, digest = random.Random(7), hashlib.sha256()
    for _ in range(runs):
        for i, details in enumerate(inputs):
            interpreter.set_input(values(draw, details), i)
        interpreter.invoke()
        for i in range(outputs):
            digest.update(interpreter.get_output(i).tobytes())
    interpreter.print_allocations()
    return digest.hexdigest()


def answer(request, out, log):
    """Runs one request in a child process, whose stderr goes to log."""
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1]
    code = 1
    try:
        os.dup2(log, 2)
        os.write(out, run(**request).encode())
        code = 0
    except BaseException as fault:
        os.write(2, str(fault).encode())
    finally:
        os._exit(code)


def main():
    for line in sys.stdin:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
            status = answer(json.loads(line), out.fileno(), log.fileno())
            out.seek(0), log.seek(0)
            said = log.read().decode(errors="replace")
            sizes = re.findall(r"Arena allocation (head|total) (\d+) bytes", said)
            if status == 0 and len(sizes) == 2:
                result = {name: int(size) for name, size in sizes}
                result["outputs"] = out.read().decode()
            else:
                result = {"error": said.strip() or "status %d" % status}
        print(json.dumps(result), flush=True)


main()
