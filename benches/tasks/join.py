"""Puts figures into the shape of every bench, with the machine and the versions: `join.py OUT STILLPOINT PEERS FIGURES…`; the parts
are removed. A part that was never written is left out."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "flake"))
import machine

out, stillpoint, peers, *parts = sys.argv[1:]
parts = [part for part in parts if pathlib.Path(part).exists()]
figures = [one for part in parts for one in json.loads(pathlib.Path(part).read_text())]
report = {"machine": machine.machine(), "versions": machine.versions(stillpoint, peers), "figures": figures}
pathlib.Path(out).write_text(json.dumps(report, indent=1) + "\n")
for part in parts:
    pathlib.Path(part).unlink()
print(f"→ {out}")
