"""The tasks on a desktop app, for Stillpoint and its peers, in turns: first tree, reading again, finding, acting, memory, many sessions, and
waiting for nothing. Inside a private desktop: desktop_tasks.py OUT --stillpoint PROGRAM --idle LIBRARY --peers PYTHON [--quick]. OUT is
written anew after each figure."""

import argparse
import collections
import json
import os
import pathlib
import statistics
import sys
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "flake")]
from desktop_lane import PATTERNS, Way
from pairs import times_of, undisturbed, usual
from tally import quantile

TREE_WAYS = {"Stillpoint": "Stillpoint, idle SDK", "pyatspi": "pyatspi, listening", "dogtail": "dogtail, its delay", "xa11y": "xa11y, locator"}
ACT_WAYS = {"Stillpoint": "Stillpoint, idle SDK", "Stillpoint, expecting": "Stillpoint, expecting", "pyatspi, told the text": "pyatspi, listening",
            "dogtail, told the text": "dogtail, searching", "dogtail, its delay": "dogtail, its delay", "xa11y, told the text": "xa11y, locator"}
# A peer that would take longer for one read, by its time for the size before, and so many times as long as the fastest peer, is not asked. Of 50,000
# elements that is xa11y (four times as long as dogtail) and not pyatspi (once to twice): by the time alone, which hangs on the machine, it was the one in one run and both in the next.
LONGEST_READ_MS, FAR_BEHIND = 30_000, 2.5
# A turn takes what is short again, so many times and for so long at most.
AGAIN, TURN_MS = 20, 30
# Beside long turns, of which there are few, what is short is taken several times in a turn (`Budget.bursts`), with a pause in between: five
# turns of a millisecond each hit or miss what slows the machine for tenths of a second (28 % between two runs).
PAUSE_S, BURSTS_FROM, LARGE = 0.05, 1_000, 10_000
HUNDREDTH_OF_A_CORE = 10
STEADY, MEMORY_LOOK_S, MOST_MEMORY_LOOKS = 0.01, 0.1, 20
# Waits for nothing of each tool, and for how long. What is next to nothing is told without a ratio, and they are dear in a quick run.
NEVERS, NEVER_S = 3, 6
QUICK_NEVERS, QUICK_NEVER_S = 1, 3


def middles(turns):
    """The median of each turn; what was taken once is a turn of its own."""
    return [statistics.median(turn) if isinstance(turn, list) else turn for turn in turns]


def fastest(samples):
    """The peer that the ratio is to."""
    times = {who: statistics.median(middles(turns)) for who, turns in samples.items() if isinstance(turns, list) and turns and not who.startswith("Stillpoint")}
    return min(times, key=times.get, default=None)


def ratio(samples, next_to_nothing=0, rule=usual):
    """Ours by the fastest peer's; none where both are next to nothing, for it would say nothing."""
    peer, ours = fastest(samples), samples["Stillpoint"]
    if peer is None or not isinstance(ours, list) or not ours:
        return None
    both = [middles(ours), middles(samples[peer])]
    return times_of(*both, rule) if any(statistics.median(one) > next_to_nothing for one in both) else None


def joined(passes):
    """The samples of several passes as one. The rounds that the two of the ratio took both in a pass stand first, for these are compared."""
    words = {label: taken[label] for taken in passes for label in taken if isinstance(taken[label], str)}
    sound = [label for label in passes[0] if label not in words]
    pair = ("Stillpoint", fastest({label: [turn for taken in passes for turn in taken[label]] for label in sound}))
    common = [min(len(taken[label]) for label in pair) if set(pair) <= set(sound) else 0 for taken in passes]

    def in_order(label):
        parts = [(taken[label][:rounds], taken[label][rounds:]) for taken, rounds in zip(passes, common)]
        return [turn for compared, _ in parts for turn in compared] + [turn for _, rest in parts for turn in rest]

    return words | {label: in_order(label) for label in sound}


class Figures:
    """What is told is in `out`; every turn that was taken is in a file beside it."""

    def __init__(self, out):
        self.out, self.turns, self.all = out, pathlib.Path(f"{out}.turns"), []
        self.turns.write_text("")

    def add(self, task, name, unit, samples, next_to_nothing=0, rule=usual, **more):
        """Ours and the peers' medians in one figure; what is words stays words. `samples` are turns, `rule` is what of them the ratio is of."""
        middle = {who: statistics.median(middles(turns)) if isinstance(turns, list) and turns else turns or "not measured" for who, turns in samples.items()}
        ours = [time for turn in samples["Stillpoint"] for time in (turn if isinstance(turn, list) else [turn])] if isinstance(samples["Stillpoint"], list) else []
        peers = {who: value for who, value in middle.items() if who != "Stillpoint"}
        self.all.append({"task": task, "name": name, "unit": unit, "ours": middle["Stillpoint"], "p50": middle["Stillpoint"], "p99": quantile(ours, 0.99),
                         "samples": len(ours), "peers": peers, "ratio": ratio(samples, next_to_nothing, rule), "command": "script/bench tasks", **more})
        self.out.write_text(json.dumps(self.all, indent=1))
        with self.turns.open("a") as turns:
            turns.write(json.dumps({"name": name, "rule": rule.__name__, "turns": {who: middles(taken) for who, taken in samples.items() if isinstance(taken, list)}}) + "\n")
        told = {who: round(value, 2) if isinstance(value, float) else value for who, value in middle.items()}
        print(f"{name}, {unit}: {told}", flush=True)


def used(pid):
    """Processor milliseconds of all threads of a process."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def memory(pid):
    """MiB, shared pages shared out, without the files that it maps: how much of those is in memory is the kernel's business."""
    told = dict(line.split(":") for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return (int(told["Pss"].split()[0]) - int(told["Pss_File"].split()[0])) / 1024


def steady_memory(processes):
    """Read until it has become steady: what an answer needed is given back soon after it, and not with it."""
    last, now = None, sum(map(memory, processes))
    for _ in range(MOST_MEMORY_LOOKS):
        if last is not None and abs(now - last) <= STEADY * now:
            break
        time.sleep(MEMORY_LOOK_S)
        last, now = now, sum(map(memory, processes))
    return now


def family(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid] + [one for child in children for one in family(int(child))]


def pin(pid, core):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {core})


def open_ways(ways, options, filler=0):
    """Each tool where it is fastest: those that ask one thing at a time on one core with their app, the others on another. Left to the
    scheduler, it is otherwise in the next run, or in the middle of one: 32 and 86 ms for dogtail's read of 100 elements, 12 and 17 for our first tree."""
    opened = {label: Way(way, options, place, filler) for place, (label, way) in enumerate(ways.items())}
    cores = sorted(os.sched_getaffinity(0))
    for label, way in opened.items():
        pin(way.app.pid, cores[-1])
        for pid in family(way.tool.pid):
            pin(pid, cores[-1] if label.startswith(("pyatspi", "dogtail")) else cores[0])
    return opened


def is_short(times):
    """Whether a turn with these times goes on."""
    return len(times) < AGAIN and sum(times) + times[-1] <= TURN_MS


class Budget(typing.NamedTuple):
    """What a tool may take for all its turns at one task, in milliseconds: the two of a ratio more than the others. The machine is slower for
    tenths of a second and for minutes, so that a ratio needs many turns, over a long time."""

    pair: int
    others: int
    most_rounds: int
    #: Of the two, and of whoever is not slow: which of the peers is the fastest must not hang on a single turn.
    fewest_rounds: int
    bursts: int

    def has_turn(self, taken, is_paired):
        """After these turns."""
        rounds, spent = len(taken), sum(sum(turn) for turn in taken)
        if rounds < (self.fewest_rounds if is_paired or spent <= SLOW_MS * rounds else 1):
            return True
        return rounds < self.most_rounds and spent + spent / rounds <= (self.pair if is_paired else self.others)


SLOW_MS = 1_500
QUICK_BUDGET = Budget(pair=5_000, others=1_000, most_rounds=80, fewest_rounds=3, bursts=4)
WHOLE_BUDGET = QUICK_BUDGET._replace(fewest_rounds=7, bursts=20)
# Of one pass over the trees of a quick run, which goes through them four times: twice before it acts and twice after it.
QUICK_TREES = QUICK_BUDGET._replace(pair=1_250, others=250, most_rounds=12, fewest_rounds=1)
# Of large apps: seven turns of three seconds leave a ratio a deviation of 7 %.
LARGE_PAIR_MS = 40_000
# Of the largest, for which a peer takes 12 to 18 s.
HUGE, HUGE_ROUNDS = 50_000, 6
# Each socket that is opened to a GTK 3 app makes it slower for good (at-spi2-core 2.46). Our server keeps the one that it has, but whoever compares it with a
# version that did not, or with another tool that opens sockets, must not measure that.
MOST_FIRSTS = 30


def takers(samples, budget):
    """Who takes a turn in the next round: everybody in the first one, then those who are quick, and the two of the ratio. Rounds of ours alone
    would be compared with nothing."""
    pair = ("Stillpoint", fastest(samples))
    takers = [label for label, taken in samples.items() if isinstance(taken, list) and budget.has_turn(taken, label in pair)]
    are_ours_alone = all(label.startswith("Stillpoint") for label in takers)
    return [] if are_ours_alone and len(samples["Stillpoint"]) >= budget.fewest_rounds else takers


# A peer may fail twice, or in one turn of twenty: who misses an event now and then is counted in the flake lab, and is able here.
FORGIVEN, FORGIVEN_SHARE = 2, 0.05


class Samples(dict):
    """The turns of each tool at one task, or the words of its failure; beside them, how often each failed."""

    def __init__(self, turns):
        super().__init__(turns)
        self.lapses = collections.Counter()


def put(samples, label, told):
    """A turn's times, or the words of a failure, which stay and replace times where it is not forgiven."""
    taken = samples[label]
    if isinstance(taken, str):
        return
    if isinstance(told, list):
        taken.append(told)
        return
    samples.lapses[label] += 1
    print(f"{label} failed: {told}", flush=True)
    if label.startswith("Stillpoint") or samples.lapses[label] > max(FORGIVEN, FORGIVEN_SHARE * len(taken)):
        samples[label] = told


def burst(way, what, label, fewest):
    """Milliseconds of each time, one after the other, or words. A first tree that lacks elements is none."""
    times = []
    while not times or is_short(times):
        told = way.ask({"time": what, "label": label})
        if "ms" not in told:
            return f"cannot: {told.get('error', '')[:80]}"
        if what == "first" and told["told"] < fewest:
            return f"incomplete: read {told['told']:,} elements of {fewest:,}"
        times.append(told["ms"])
    return times


def measure(way, what, label, fewest, bursts):
    """Milliseconds of each time in this turn, or words."""
    times = burst(way, what, label, fewest)
    while isinstance(times, list) and len(times) < AGAIN * bursts and statistics.median(times) * AGAIN <= TURN_MS:
        time.sleep(PAUSE_S)
        more = burst(way, what, label, fewest)
        times = times + more if isinstance(more, list) else more
    return times


def fillers(size):
    """Labels that make an app of about so many elements: a group stands above each hundred, the rest of the app beside them."""
    return max(0, (size - 20) * 100 // 101)


def too_long(before, label, size):
    """Words, if a read of so many elements would take too long, by the smaller size before."""
    if label == "Stillpoint" or not before or before[0] > size:
        return None
    last, times = before
    if isinstance(times.get(label), str):
        return times[label]
    if label not in times:
        return None
    expected = times[label] * size / last
    is_far_behind = times[label] > FAR_BEHIND * min(time for who, time in times.items() if who != "Stillpoint" and not isinstance(time, str))
    return f"not measured: a read would take {expected / 1000:.0f} s, by its time for {last:,}" if expected > LONGEST_READ_MS and is_far_behind else None


class Trees:
    """Apps of one size, one for each tool, and what the tools took to read them."""

    TASKS = ("first", "again", "find")

    def __init__(self, options, size, before):
        self.size = size
        self.skipped = {label: words for label in TREE_WAYS if (words := too_long(before, label, size))}
        began = time.monotonic()
        self.ways = open_ways({label: way for label, way in TREE_WAYS.items() if label not in self.skipped}, options, fillers(size))
        print(f"{size} elements: {len(self.ways)} apps open after {time.monotonic() - began:.0f} s", flush=True)
        self.memory = None
        self.samples = {what: Samples({label: self.skipped.get(label, []) for label in TREE_WAYS}) for what in self.TASKS}

    def take(self, budget):
        if self.size >= LARGE:
            budget = budget._replace(pair=LARGE_PAIR_MS, fewest_rounds=min(budget.fewest_rounds, HUGE_ROUNDS) if self.size >= HUGE else budget.fewest_rounds)
        for what, samples in self.samples.items():
            for label in takers(samples, budget._replace(most_rounds=MOST_FIRSTS) if what == "first" else budget):
                told = measure(self.ways[label], what, f"Filler {fillers(self.size) * 3 // 4}", fillers(self.size), budget.bursts if self.size >= BURSTS_FROM else 1)
                put(samples, label, told)
        if self.memory is None:
            self.memory = {label: [steady_memory(family(way.tool.pid))] for label, way in self.ways.items()}

    def times(self):
        """What a first tree took, of those who have read one: a peer whose first try was forgiven has not."""
        return {label: statistics.median(middles(taken)) if isinstance(taken, list) else taken for label, taken in self.samples["first"].items() if taken}

    def close(self):
        for way in self.ways.values():
            way.close()


def tell_trees(passes, figures):
    """Of one size."""
    size = passes[0].size
    for what in Trees.TASKS:
        figures.add(f"{what}-desktop", f"desktop app of {size:,} elements: {what}", "ms", joined([one.samples[what] for one in passes]), rule=undisturbed, x=size)
    memory = joined([{**one.skipped, **one.memory} for one in passes])
    figures.add("memory-desktop", f"desktop app of {size:,} elements: memory of the tool", "MiB", memory, x=size)


def trees(options, groups, budget, passes):
    """A pass over each group of sizes, with tools and apps started anew, put to the passes of each size: from one start on dogtail read 1,000
    elements in some 235 ms, from another in 320. Sizes of a group by turns, so that each has rounds over a long time:
    read in one stretch of two minutes, 10,000 elements again differed by 22 % between two runs."""
    before = None
    for group in groups:
        opened = []
        for size in group:
            one = Trees(options, size, before)
            one.take(budget)
            opened.append(one)
            passes[size].append(one)
            before = size, one.times()
        for _ in range(budget.most_rounds - 1):
            for one in opened:
                one.take(budget)
        for one in opened:
            one.close()


def act(way, pattern):
    """Milliseconds of each time in this turn, or words."""
    times = []
    while not times or is_short(times):
        result = way.once(pattern)
        if result["verdict"] != "right":
            return f"{result['verdict']}: did not read the final state"
        times.append(result["call_ms"])
    return times


def acts(options, budget):
    """One pass, with tools and apps started anew: the samples of each pattern."""
    ways, taken = open_ways(ACT_WAYS, options), {}
    for pattern in (one for one in PATTERNS if one.get("bench")):
        samples = taken[pattern["name"]] = Samples({label: [] for label in ways})
        for way in ways.values():
            way.choose(pattern["name"])
        for _ in range(budget.most_rounds):
            for label in takers(samples, budget):
                put(samples, label, act(ways[label], pattern))
    for way in ways.values():
        way.close()
    return taken


def tell_acts(passes, figures):
    for name in passes[0]:
        figures.add("act", f"desktop: {name}", "ms", joined([taken[name] for taken in passes]))


def never(options, figures):
    """One after the other: a tool that listens hears what the others do to their apps, too, and that is not its own cost."""
    ways = open_ways(TREE_WAYS, options)
    times, seconds = (QUICK_NEVERS, QUICK_NEVER_S) if options.quick else (NEVERS, NEVER_S)

    def wait(way):
        processes = family(way.tool.pid) + [way.app.pid]
        before = sum(used(pid) for pid in processes)
        told = way.ask({"time": "never", "seconds": seconds})
        if "ms" not in told:
            return f"cannot: {told.get('error', '')[:80]}"
        return [(sum(used(pid) for pid in processes) - before) / (told["ms"] / 1000)]

    samples = Samples({label: [] for label in ways})
    for _ in range(times):
        for label, way in ways.items():
            put(samples, label, wait(way))
    figures.add("never", "desktop app of 20 elements", "ms/s", samples, next_to_nothing=HUNDREDTH_OF_A_CORE)
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
    sizes = options.sizes or ([100, 1000] if options.quick else [100, 1000, 10_000, 50_000])
    small, large = ([size for size in sizes if (size >= LARGE) == is_large] for is_large in (False, True))
    acted, read = [], collections.defaultdict(list)
    groups, budget = ((small, small), QUICK_TREES) if options.quick else ((small, large, small), WHOLE_BUDGET)
    parts = {"acts": lambda: acted.append(acts(options, QUICK_BUDGET)), "trees": lambda: trees(options, groups, budget, read), "never": lambda: never(options, figures)}
    # What was slow for a minute must not make a figure. Acts are dear in a quick run, for some wait a second.
    order = ("trees", "acts", "trees", "never") if options.quick else ("acts", "trees", "never", "acts")
    order = [name for name in order if options.only in (None, name)]
    for place, name in enumerate(order):
        began = time.monotonic()
        parts[name]()
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
        is_last = name not in order[place + 1 :]
        if name == "trees" and is_last:
            for taken in read.values():
                tell_trees(taken, figures)
        if name == "acts" and is_last:
            tell_acts(acted, figures)


if __name__ == "__main__":
    main()
