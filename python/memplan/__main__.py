"""python -m memplan: the command."""

import os
import subprocess
import sys

from ._child import program

if os.name == "nt":
    sys.exit(subprocess.call([program(), *sys.argv[1:]]))
os.execv(program(), ["memplan", *sys.argv[1:]])
