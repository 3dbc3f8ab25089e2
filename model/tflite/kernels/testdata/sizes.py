"""Calls CMSIS-NN's own size functions, for the tests.

The argument is the library. Each line of standard input is a JSON object {"call":
function, "args": [...]}, an argument a number or the int32 fields of a structure;
each gets its result as a line on standard output.
"""
import ctypes
import json
import sys


def argument(value):
    if isinstance(value, int):
        return ctypes.c_int32(value)
    return (ctypes.c_int32 * len(value))(*value)


library = ctypes.CDLL(sys.argv[1])
for line in sys.stdin:
    request = json.loads(line)
    call = getattr(library, request["call"])
    call.restype = ctypes.c_int32
    print(call(*map(argument, request["args"])), flush=True)
