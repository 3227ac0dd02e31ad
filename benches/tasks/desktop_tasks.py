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
# A turn takes what is short again, so many times and for so long at most.
AGAIN, TURN_MS = 20, 30
# What is short has many turns, what is long few; what is slow has one, if it is not one of the two of a ratio.
SHORT_MS, LONG_MS, SLOW_MS = 100, 2_000, 5_000
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
    """What is told is in `out`; every turn that was taken is in a file beside it."""

    def __init__(self, out):
        self.out, self.turns, self.all = out, pathlib.Path(f"{out}.turns"), []
        self.turns.write_text("")

    def add(self, task, name, unit, samples, **more):
        """Ours and the peers' medians in one figure; what is words stays words. `samples` are turns."""
        middle = {who: statistics.median(middles(turns)) if isinstance(turns, list) and turns else turns or "not measured" for who, turns in samples.items()}
        ours = [time for turn in samples["Stillpoint"] for time in (turn if isinstance(turn, list) else [turn])] if isinstance(samples["Stillpoint"], list) else []
        peers = {who: value for who, value in middle.items() if who != "Stillpoint"}
        self.all.append({"task": task, "name": name, "unit": unit, "ours": middle["Stillpoint"], "p50": middle["Stillpoint"], "p99": quantile(ours, 0.99),
                         "samples": len(ours), "peers": peers, "ratio": ratio(samples), "command": "script/bench tasks", **more})
        self.out.write_text(json.dumps(self.all, indent=1))
        with self.turns.open("a") as turns:
            turns.write(json.dumps({"name": name, "turns": {who: middles(taken) for who, taken in samples.items() if isinstance(taken, list)}}) + "\n")
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
    """How many turns somebody has, the two of a ratio more than the others. This machine is slower for tenths of a second and for minutes, so
    that a ratio needs many short turns, over a long time."""

    short: int
    middling: int
    long: int
    short_others: int
    middling_others: int
    long_others: int

    def of(self, usual, is_paired):
        """By how long it takes, and whether it is one of the two."""
        if usual <= SHORT_MS:
            return self.short if is_paired else self.short_others
        if usual <= LONG_MS:
            return self.middling if is_paired else self.middling_others
        if is_paired:
            return self.long
        return self.long_others if usual <= SLOW_MS else 1


QUICK = Rounds(short=80, middling=12, long=3, short_others=20, middling_others=5, long_others=3)
WHOLE = Rounds(short=150, middling=24, long=5, short_others=30, middling_others=7, long_others=3)


def takers(samples, number, rounds):
    """Who takes a turn in this round: everybody in the first ones, then those who are quick, and the two of the ratio."""
    pair = ("Stillpoint", fastest(samples))
    usual = {label: statistics.median(middles(taken)) if taken else 0 for label, taken in samples.items() if isinstance(taken, list)}
    return [label for label, ms in usual.items() if number < rounds.of(ms, label in pair)]


def put(samples, label, told):
    """A turn's times, or the words of a failure. Of Stillpoint one failure is told instead of its times; of a peer that can do it, as it
    did it before, the times are."""
    taken = samples[label]
    if isinstance(told, list) and isinstance(taken, list):
        taken.append(told)
    elif isinstance(told, str) and (not taken or label.startswith("Stillpoint")):
        samples[label] = told
    elif isinstance(told, str):
        print(f"{label} failed once: {told}", flush=True)


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


class Trees:
    """Apps of one size, one for each tool, and what the tools took to read them."""

    TASKS = ("first", "again", "find")

    def __init__(self, options, size, before):
        self.size = size
        self.skipped = {label: words for label in TREE_WAYS if (words := too_long(before, label, size))}
        began = time.monotonic()
        self.ways = open_ways({label: way for label, way in TREE_WAYS.items() if label not in self.skipped}, options, fillers(size))
        print(f"{size} elements: {len(self.ways)} apps open after {time.monotonic() - began:.0f} s", flush=True)
        self.samples = {what: {label: self.skipped.get(label, []) for label in TREE_WAYS} for what in self.TASKS}

    def take(self, number, rounds):
        for what, samples in self.samples.items():
            for label in takers(samples, number, rounds):
                put(samples, label, measure(self.ways[label], what, f"Filler {fillers(self.size) * 3 // 4}"))

    def times(self):
        """What a first tree took."""
        return {label: statistics.median(middles(taken)) if isinstance(taken, list) else taken for label, taken in self.samples["first"].items()}

    def tell(self, figures):
        for what, samples in self.samples.items():
            figures.add(f"{what}-desktop", f"desktop app of {self.size:,} elements: {what}", "ms", samples, x=self.size)
        alone = {label: [sum(memory(pid) for pid in family(way.tool.pid))] for label, way in self.ways.items()}
        figures.add("memory-desktop", f"desktop app of {self.size:,} elements: memory of the tool", "MiB", {**self.skipped, **alone}, x=self.size)

    def close(self):
        for way in self.ways.values():
            way.close()


def trees(options, figures, sizes, rounds):
    """The small sizes by turns, so that each has rounds over a long time; then each of the large ones."""
    small = [size for size in sizes if size <= 1_000]
    before = None
    for group in [small] * bool(small) + [[size] for size in sizes if size > 1_000]:
        opened = [Trees(options, size, before) for size in group]
        for number in range(rounds.short):
            for one in opened:
                one.take(number, rounds)
        for one in opened:
            one.tell(figures)
            one.close()
        before = opened[-1].size, opened[-1].times()


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
        for number in range(rounds.short):
            for label in takers(samples, number, rounds):
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
