"""An allocator of the PyPI package omnimalloc as a planner: {"name": "supermalloc", "command": ["python3", "omni.py", "Supermalloc"]}."""
import csv, os, sys
import omnimalloc
from omnimalloc import allocators

rows = list(csv.DictReader(sys.stdin))
buffers = [omnimalloc.Allocation(id=k, size=int(r["size"]), start=int(r["lower"]), end=int(r["upper"])) for k, r in enumerate(rows)]
allocator = getattr(allocators, sys.argv[1] + "Allocator")
try:  # those that search take a limit, which begins after the imports and ends before memplan's does
    made = allocator(timeout=float(os.environ["MEMPLAN_SECONDS"] or 20) / 2)
except TypeError:
    made = allocator()
print("id,offset", *(f"{rows[a.id]['id']},{a.offset}" for a in made.allocate(buffers)), sep="\n")
