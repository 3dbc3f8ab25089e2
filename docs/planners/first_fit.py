"""First fit by decreasing size, as a planner of an experiment: {"name": "mine", "command": ["python3", "first_fit.py"]}."""
import csv, sys

buffers = sorted(csv.DictReader(sys.stdin), key=lambda b: -int(b["size"]))
for k, b in enumerate(buffers):
    at = 0
    for c in sorted(buffers[:k], key=lambda c: c["at"]):
        if int(b["lower"]) < int(c["upper"]) and int(c["lower"]) < int(b["upper"]) and at + int(b["size"]) > c["at"]:
            at = max(at, c["at"] + int(c["size"]))
    b["at"] = at
print("id,offset", *(f"{b['id']},{b['at']}" for b in buffers), sep="\n")
