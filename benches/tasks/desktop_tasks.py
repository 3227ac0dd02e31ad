"""The tasks on a desktop app, for Stillpoint and its peers, in turns: first tree, reading again, finding, acting, and waiting for
nothing. Inside a private desktop: desktop_tasks.py OUT --stillpoint PROGRAM --idle LIBRARY --peers PYTHON [--quick]."""

import argparse
import json
import os
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "flake"))
from desktop_lane import PATTERNS, Way
from tally import quantile

TICKS = os.sysconf("SC_CLK_TCK")
TREE_WAYS = {"Stillpoint": "Stillpoint, idle SDK", "pyatspi": "pyatspi, listening", "dogtail": "dogtail, its delay", "xa11y": "xa11y, locator"}
ACT_WAYS = {"Stillpoint": "Stillpoint, idle SDK", "Stillpoint, expecting": "Stillpoint, expecting", "pyatspi, told the text": "pyatspi, listening",
            "dogtail, told the text": "dogtail, searching", "dogtail, its delay": "dogtail, its delay", "xa11y, told the text": "xa11y, locator"}
# A walk of the slower peers over more takes minutes.
MOST_FOR_PEERS = 10_000


def figure(task, name, unit, samples, **more):
    """Ours and the peers' medians in one figure; what is words stays words."""
    middle = {who: statistics.median(list_) if isinstance(list_, list) else list_ for who, list_ in samples.items()}
    ours, *_ = [list_ for who, list_ in samples.items() if who == "Stillpoint"]
    peers = {who: value for who, value in middle.items() if who != "Stillpoint"}
    numbers = [value for who, value in peers.items() if isinstance(value, (int, float)) and not who.startswith("Stillpoint")]
    return {"task": task, "name": name, "unit": unit, "ours": middle["Stillpoint"], "p50": middle["Stillpoint"], "p99": quantile(ours, 0.99), "samples": len(ours),
            "peers": peers, "ratio": middle["Stillpoint"] / min(numbers) if numbers else None, "command": "script/bench tasks", **more}


def used(pid):
    """Processor milliseconds that a process and its children that have ended have used."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return sum(int(fields[n]) for n in (11, 12)) * 1000 / TICKS


def family(pid):
    children = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return [pid] + [one for child in children for one in family(int(child))]


def open_ways(ways, options, filler=0):
    return {label: Way(way, options, place, filler) for place, (label, way) in enumerate(ways.items())}


def measure(way, what):
    told = way.ask({"time": what})
    return told.get("ms") if "ms" in told else f"cannot: {told.get('error', '')[:80]}"


def trees(options, sizes, rounds):
    figures = []
    for size in sizes:
        names = TREE_WAYS if size <= MOST_FOR_PEERS else {"Stillpoint": TREE_WAYS["Stillpoint"]}
        ways = open_ways(names, options, size)
        for task, what in (("first-desktop", "first"), ("again-desktop", "again"), ("find-desktop", "find")):
            samples = {label: [] for label in ways}
            for _ in range(rounds):
                for label, way in ways.items():
                    value = measure(way, what)
                    if isinstance(value, str):
                        samples[label] = value
                    elif isinstance(samples[label], list):
                        samples[label].append(value)
            for label in TREE_WAYS:
                samples.setdefault(label, "not measured: over a minute")
            if task == "find-desktop":
                if size == 1000:
                    figures.append(figure("find", "desktop app of 1,000 elements", "ms", samples))
            else:
                figures.append(figure(task, f"{what} tree, {size} elements", "ms", samples, x=size))
        for way in ways.values():
            way.close()
    return figures


def acts(options, rounds):
    figures = []
    ways = open_ways(ACT_WAYS, options)
    for pattern in (one for one in PATTERNS if one.get("bench")):
        samples = {label: [] for label in ways}
        for way in ways.values():
            way.choose(pattern["name"])
        for _ in range(rounds):
            for label, way in ways.items():
                result = way.once(pattern)
                if result["verdict"] != "right":
                    samples[label] = f"{result['verdict']}: did not read the final state"
                elif isinstance(samples[label], list):
                    samples[label].append(result["took_ms"] + result["late_ms"])
        figures.append(figure("act", f"desktop: {pattern['name']}", "ms", samples))
    for way in ways.values():
        way.close()
    return figures


def never(options):
    """Each alone, one after the other: what is counted is processor time."""
    samples = {}
    ways = open_ways(TREE_WAYS, options)
    for label, way in ways.items():
        processes = family(way.tool.pid) + [way.app.pid]
        before = sum(used(pid) for pid in processes)
        told = way.ask({"time": "never"})
        seconds = told["ms"] / 1000 if "ms" in told else 4.0
        samples[label] = [(sum(used(pid) for pid in processes) - before) / seconds]
        way.close()
    return [figure("never", "desktop app of 20 elements", "ms/s", samples)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    for name in ("stillpoint", "idle", "peers"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    options.seed, options.verbose = 1, False
    sizes, rounds = ([100, 1000], 3) if options.quick else ([100, 1000, 10_000], 7)
    figures = acts(options, rounds) + trees(options, sizes, rounds) + never(options)
    with open(options.out, "w") as out:
        json.dump(figures, out, indent=1)
    for one in figures:
        print(f"{one['name']}: {one['ours']:.2f} {one['unit']}; {one['peers']}")


if __name__ == "__main__":
    main()
