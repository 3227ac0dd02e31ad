"""Gives the figures of the idle SDK the shape of every other bench: the machine, versions and aims.

Usage: idle_report.py FIGURES.json… OUT.json
"""

import json
import os
import platform
import subprocess
import sys

# The aims, in nanoseconds, for the median.
AIMS = {
    "is_idle, app idle": 25,
    "is_idle, app busy": 25,
    "begin and end, fixed resource": 30,
    "begin and end, by name": 30,
    "wait_for_idle, woken after the last guard's end": 100_000,
}


def cpu():
    with open("/proc/cpuinfo") as lines:
        names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        return next(names, platform.machine())


def shaped(figure):
    peers = figure["peers"]
    # The figures beside ours were published by others, of another machine: no ratio of one run.
    figure["ratio_to_published"] = round(figure["ours"] / min(peers.values()), 6) if peers else None
    figure["command"] = "script/bench idle"
    if figure["name"] in AIMS:
        figure["aim"], figure["aim_for"] = AIMS[figure["name"]], "p50"
        figure["met"] = figure["p50"] <= figure["aim"]
    return figure


def read(source):
    with open(source) as file:
        return [shaped(figure) for figure in json.load(file)["figures"]]


def main(*sources, out):
    figures = [figure for source in sources for figure in read(source)]
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    machine = {"cpu": cpu(), "cores": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg()[0]}
    told = {"machine": machine, "versions": {"rustc": rustc}, "figures": figures}
    with open(out, "w") as file:
        json.dump(told, file, indent=2, ensure_ascii=False)
    for f in figures:
        aim = "" if "aim" not in f else f"≤ {f['aim']} {'met' if f['met'] else 'MISSED'}"
        print(f"{f['name']:<48} {f['p50']:>10.1f} {f['p99']:>12.1f} {f['unit']}  {aim}")


main(*sys.argv[1:-1], out=sys.argv[-1])
