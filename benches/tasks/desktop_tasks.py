"""The tasks on a desktop app, for Stillpoint and its peers, in turns: first tree, reading again, finding, acting, memory, many sessions, and
waiting for nothing. Inside a private desktop: desktop_tasks.py OUT --stillpoint PROGRAM --idle LIBRARY --peers PYTHON [--quick]. OUT is
written anew after each figure."""

import argparse
import concurrent.futures
import json
import pathlib
import statistics
import sys
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "flake")]
from desktop_lane import PATTERNS, Way
from pairs import times_of
from tally import quantile

TREE_WAYS = {"Stillpoint": "Stillpoint, idle SDK", "pyatspi": "pyatspi, listening", "dogtail": "dogtail, its delay", "xa11y": "xa11y, locator"}
ACT_WAYS = {"Stillpoint": "Stillpoint, idle SDK", "Stillpoint, expecting": "Stillpoint, expecting", "pyatspi, told the text": "pyatspi, listening",
            "dogtail, told the text": "dogtail, searching", "dogtail, its delay": "dogtail, its delay", "xa11y, told the text": "xa11y, locator"}
# A peer that would take longer for one read, by its time for the size before, is not asked.
LONGEST_READ_MS = 30_000
# What is short is taken again and again within its turn, so many times and for so long.
AGAIN, TURN_MS = 100, 100
# What takes longer has few turns; what is slow has one, if it is not one of the two of a ratio.
LONG_MS, SLOW_MS = 1_000, 5_000
# Waits for nothing of each tool.
NEVERS = 5


def middles(turns):
    """The median of each turn; what was taken once is a turn of its own."""
    return [statistics.median(turn) if isinstance(turn, list) else turn for turn in turns]


def fastest(samples):
    """The peer that the ratio is to."""
    times = {who: statistics.median(middles(turns)) for who, turns in samples.items() if isinstance(turns, list) and turns and not who.startswith("Stillpoint")}
    return min(times, key=times.get, default=None)


def ratio(samples):
    """Ours by the fastest peer's."""
    peer, ours = fastest(samples), samples["Stillpoint"]
    if peer is None or not isinstance(ours, list) or not ours:
        return None
    return times_of(middles(ours), middles(samples[peer]))


class Figures:
    def __init__(self, out):
        self.out, self.all = out, []

    def add(self, task, name, unit, samples, **more):
        """Ours and the peers' medians in one figure; what is words stays words. `samples` are turns."""
        middle = {who: statistics.median(middles(turns)) if isinstance(turns, list) and turns else turns or "not measured" for who, turns in samples.items()}
        ours = [time for turn in samples["Stillpoint"] for time in (turn if isinstance(turn, list) else [turn])] if isinstance(samples["Stillpoint"], list) else []
        peers = {who: value for who, value in middle.items() if who != "Stillpoint"}
        self.all.append({"task": task, "name": name, "unit": unit, "ours": middle["Stillpoint"], "p50": middle["Stillpoint"], "p99": quantile(ours, 0.99),
                         "samples": len(ours), "peers": peers, "ratio": ratio(samples), "command": "script/bench tasks", **more})
        self.out.write_text(json.dumps(self.all, indent=1))
        told = {who: round(value, 2) if isinstance(value, float) else value for who, value in middle.items()}
        print(f"{name}, {unit}: {told}", flush=True)


def used(pid):
    """Processor milliseconds of all threads of a process."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def memory(pid):
    """MiB, shared pages shared out."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def family(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid] + [one for child in children for one in family(int(child))]


def open_ways(ways, options, filler=0):
    return {label: Way(way, options, place, filler) for place, (label, way) in enumerate(ways.items())}


def is_short(times):
    """Whether a turn with these times goes on."""
    return len(times) < AGAIN and sum(times) + times[-1] <= TURN_MS


class Rounds(typing.NamedTuple):
    """How many turns somebody has: what moves a short time lasts for a turn, so that a median needs many of them."""

    short: int
    pair: int
    long_pair: int
    others: int
    long_others: int

    def of(self, last, is_paired):
        """By how long the last one took, and whether it is one of the two of a ratio."""
        if last <= TURN_MS:
            return self.short
        if last <= LONG_MS:
            return self.pair if is_paired else self.others
        if is_paired:
            return self.long_pair
        return self.long_others if last <= SLOW_MS else 1


QUICK = Rounds(short=24, pair=12, long_pair=3, others=5, long_others=3)
WHOLE = Rounds(short=40, pair=24, long_pair=5, others=7, long_others=3)


def turns(samples, rounds):
    """Who takes a turn, round after round: everybody in the first ones, then those who are quick, and the two of the ratio. `samples` are filled
    meanwhile."""
    for number in range(rounds.short):
        pair = ("Stillpoint", fastest(samples))
        for label, taken in list(samples.items()):
            if isinstance(taken, str):
                continue
            last = middles(taken[-1:])[0] if taken else 0
            if number < rounds.of(last, label in pair):
                yield label


def put(samples, label, told):
    """A turn's times. Words stay, and replace times."""
    if isinstance(told, str):
        samples[label] = told
    elif isinstance(samples[label], list):
        samples[label].append(told)


def measure(way, what, label):
    """Milliseconds of each time in this turn, or words."""
    times = []
    while not times or is_short(times):
        told = way.ask({"time": what, "label": label})
        if "ms" not in told:
            return f"cannot: {told.get('error', '')[:80]}"
        times.append(told["ms"])
    return times


def fillers(size):
    """Labels that make an app of about so many elements: a group stands above each hundred, the rest of the app beside them."""
    return max(0, (size - 20) * 100 // 101)


def too_long(before, label, size):
    """Words, if a read of so many elements would take too long, by the size before."""
    if label == "Stillpoint" or not before:
        return None
    last, times = before
    if isinstance(times.get(label), str):
        return times[label]
    if label not in times:
        return None
    expected = times[label] * size / last
    return f"not measured: a read would take {expected / 1000:.0f} s, by its time for {last:,}" if expected > LONGEST_READ_MS else None


def trees(options, figures, sizes, rounds):
    before = None
    for size in sizes:
        skipped = {label: words for label in TREE_WAYS if (words := too_long(before, label, size))}
        began = time.monotonic()
        ways = open_ways({label: way for label, way in TREE_WAYS.items() if label not in skipped}, options, fillers(size))
        print(f"{size} elements: {len(ways)} apps open after {time.monotonic() - began:.0f} s", flush=True)
        times = {}
        for task, what in (("first-desktop", "first"), ("again-desktop", "again"), ("find-desktop", "find")):
            samples = {label: skipped.get(label, []) for label in TREE_WAYS}
            for label in turns(samples, rounds):
                if label in ways:
                    put(samples, label, measure(ways[label], what, f"Filler {fillers(size) * 3 // 4}"))
            if what == "first":
                times = {label: statistics.median(middles(taken)) if isinstance(taken, list) else taken for label, taken in samples.items()}
            figures.add(task, f"desktop app of {size:,} elements: {what}", "ms", samples, x=size)
        alone = {label: [memory(way.tool.pid) + sum(memory(pid) for pid in family(way.tool.pid)[1:])] for label, way in ways.items()}
        figures.add("memory-desktop", f"desktop app of {size:,} elements: memory of the tool", "MiB", {**skipped, **alone}, x=size)
        for way in ways.values():
            way.close()
        before = size, times


def act(way, pattern):
    """Milliseconds of each time in this turn, or words."""
    times = []
    while not times or is_short(times):
        result = way.once(pattern)
        if result["verdict"] != "right":
            return f"{result['verdict']}: did not read the final state"
        times.append(result["took_ms"] + result["late_ms"])
    return times


def acts(options, figures, rounds):
    ways = open_ways(ACT_WAYS, options)
    for pattern in (one for one in PATTERNS if one.get("bench")):
        samples = {label: [] for label in ways}
        for way in ways.values():
            way.choose(pattern["name"])
        for label in turns(samples, rounds):
            put(samples, label, act(ways[label], pattern))
        figures.add("act", f"desktop: {pattern['name']}", "ms", samples)
    for way in ways.values():
        way.close()


def never(options, figures):
    """All at once, for what is counted is each one's processor time."""
    ways = open_ways(TREE_WAYS, options)

    def wait(way):
        processes = family(way.tool.pid) + [way.app.pid]
        before = sum(used(pid) for pid in processes)
        told = way.ask({"time": "never"})
        if "ms" not in told:
            return f"cannot: {told.get('error', '')[:80]}"
        return [(sum(used(pid) for pid in processes) - before) / (told["ms"] / 1000)]

    samples = {label: [] for label in ways}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for _ in range(NEVERS):
            for label, told in zip(ways, pool.map(wait, ways.values())):
                put(samples, label, told)
    figures.add("never", "desktop app of 20 elements", "ms/s", samples)
    for way in ways.values():
        way.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    for name in ("stillpoint", "idle", "peers"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("acts", "trees", "never"))
    parser.add_argument("--sizes", type=int, nargs="+")
    options = parser.parse_args()
    options.seed, options.verbose = 1, False
    figures = Figures(options.out)
    sizes, rounds = ([100, 1000], QUICK) if options.quick else ([100, 1000, 10_000, 50_000], WHOLE)
    parts = {"acts": lambda: acts(options, figures, rounds), "trees": lambda: trees(options, figures, options.sizes or sizes, rounds), "never": lambda: never(options, figures)}
    for name, part in parts.items():
        if options.only in (None, name):
            began = time.monotonic()
            part()
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
