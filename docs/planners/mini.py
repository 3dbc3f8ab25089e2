"""MiniMalloc (the program minimalloc on the PATH) as a planner: {"name": "minimalloc", "command": ["python3", "mini.py"]}.
It says whether a capacity is enough: capacities are halved between the load and the best peak, each asked for a quarter of the time left."""
import csv, os, subprocess, sys, tempfile, time

end = time.monotonic() + 0.9 * float(os.environ["MEMPLAN_SECONDS"] or 60)
text = sys.stdin.read()
rows = list(csv.DictReader(text.splitlines()))
live = load = 0
for _, size in sorted([(int(r["lower"]), int(r["size"])) for r in rows] + [(int(r["upper"]), -int(r["size"])) for r in rows]):
    live += size
    load = max(load, live)
low, high = load, 2 * load
with tempfile.TemporaryDirectory() as folder:
    given, found = os.path.join(folder, "given.csv"), os.path.join(folder, "found.csv")
    with open(given, "w") as f:
        f.write(text)
    while low <= high and (left := end - time.monotonic()) > 0:
        capacity = (low + high) // 2
        try:
            subprocess.run(["minimalloc", f"--capacity={capacity}", f"--input={given}", f"--output={found}"], check=True, timeout=left / 4,
                           stdout=subprocess.DEVNULL)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            low = capacity + 1
            continue
        plan = list(csv.DictReader(open(found)))
        print("id,offset", *(f"{r['id']},{r['offset']}" for r in plan), "", sep="\n", flush=True)
        high = max(int(r["offset"]) + int(r["size"]) for r in plan) - 1
