"""Side by side on the same live apps, in one run, interleaved: our first full tree and our next read, a pyatspi walk, and
xa11y's tree. Run inside a private desktop by `script/bench atspi`; writes the report that it is given the path of.

Every tool reads role, name, states and extents of every element; ours also text, values, ids and actions. What a tool
keeps between two reads it may keep: that is what its users have. The places are those of the tasks: pyatspi, which asks one thing at a
time, on one core with the app, the others on another.
"""

import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time

from pairs import times_of

OURS, LIVE, STILLPOINT, XA11Y, REPORT = sys.argv[1:6]
APPS = ["mousepad", "gtk3-widget-factory", "gnome-calculator"]
# Each app is started twice, with the others in between: in one stretch of half a minute, the first tree of mousepad differed by 13 % between two runs.
PASSES, ROUNDS = 2, 16
FIRST_CORE, *_, APPS_CORE = sorted(os.sched_getaffinity(0)) * 2


@contextlib.contextmanager
def on(core):
    """This program, and what it starts, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def millis(work):
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def walk_with_pyatspi(pid):
    """A whole walk, as pyatspi's own documentation does it."""
    import pyatspi

    desktop = pyatspi.Registry.getDesktop(0)
    app = next(a for a in desktop if a is not None and a.get_process_id() == pid)
    stack, seen = [app], 0
    while stack:
        node = stack.pop()
        node.getRole(), node.name, node.getState().getStates()
        try:
            node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        except NotImplementedError:
            pass
        seen += 1
        stack.extend(child for child in node if child is not None)
    return seen


XA11Y_READ = """
import sys, time, xa11y
app = xa11y.App.by_pid(int(sys.argv[1]))
for _ in range(2):
    began = time.perf_counter()
    app.tree()
    print((time.perf_counter() - began) * 1000)
"""


def ours(pid):
    told = subprocess.run([OURS, f"app:pid={pid}", "3"], capture_output=True, text=True, check=True).stdout
    return json.loads(told)


def times_faster(samples, peers):
    """The fastest peer's time by ours."""
    fastest = min((s for s in peers.values() if s), key=statistics.median, default=None)
    return round(times_of(fastest, samples), 2) if fastest else None


def figure(name, samples, peers, command, nodes):
    ordered = sorted(samples)
    p50 = statistics.median(ordered)
    return {
        "name": name, "unit": "ms", "ours": round(p50, 4), "p50": round(p50, 4), "p99": round(ordered[int((len(ordered) - 1) * 0.99)], 4),
        "samples": len(ordered), "nodes": nodes, "peers": {peer: round(statistics.median(s), 3) for peer, s in peers.items() if s},
        "ratio": times_faster(samples, peers), "command": command,
    }


def measure(name):
    """One pass: the times of each tool, by what was read."""
    with on(APPS_CORE):
        app = subprocess.Popen([name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # Returns once the app has come to the bus and is at rest, or says why not.
        subprocess.run([STILLPOINT, "wait", f"app:pid={app.pid}", "idle"], stdout=subprocess.DEVNULL, check=True)
        walk_with_pyatspi(app.pid)
        taken = {"first": [], "again": [], "pyatspi": [], "xa11y": [], "nodes": 0}
        for _ in range(ROUNDS):
            with on(FIRST_CORE):
                told = ours(app.pid)
                read = subprocess.run([XA11Y, "-c", XA11Y_READ, str(app.pid)], capture_output=True, text=True)
            with on(APPS_CORE):
                taken["pyatspi"].append(millis(lambda: walk_with_pyatspi(app.pid)))
            taken["nodes"] = told["nodes"]
            taken["first"].append(told["p50"])
            taken["again"].append(told["read_again_p50"])
            if read.returncode == 0:
                taken["xa11y"].append(float(read.stdout.split()[-1]))
        return taken
    finally:
        app.terminate()
        app.wait()


def figures_of(name, passes):
    """The two figures of an app, of all its passes."""
    first, again, pyatspi, xa11y = ([time for taken in passes for time in taken[what]] for what in ("first", "again", "pyatspi", "xa11y"))
    peers, command, nodes = {"pyatspi": pyatspi, "xa11y": xa11y}, "script/bench atspi", passes[-1]["nodes"]
    return [
        figure(f"first full tree of {name}", first, peers, command, nodes),
        figure(f"reading {name} again", again, peers, command, nodes),
    ]


def measure_live():
    """What no peer does: a change becomes visible by itself, a wait is answered, an app that floods events is watched."""
    flooding = subprocess.Popen(["gtk3-widget-factory"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        subprocess.run([STILLPOINT, "wait", f"app:pid={flooding.pid}", "idle"], stdout=subprocess.DEVNULL, check=True)
        told = json.loads(subprocess.run([LIVE, "apps/gtk3/fixture.py", str(flooding.pid)],
                                         capture_output=True, text=True, check=True).stdout)
    finally:
        flooding.terminate()
        flooding.wait()
    names = {
        "visible_ms": ("change in the app to visible revision", "ms"),
        "answer_lag_ms": ("answer of a wait beyond its window of 50 ms", "ms"),
        "watching_cpu_percent": ("watching gtk3-widget-factory, share of a core", "%"),
    }
    return [{**figure(name, told[key], {}, "script/bench atspi", None), "unit": unit,
             "peers": {"pyatspi": None, "xa11y": None}} for key, (name, unit) in names.items()]


def version(python, package):
    code = f"import importlib.metadata as m; print(m.version('{package}'))"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return told.stdout.strip() or None


passes = [{name: measure(name) for name in APPS} for _ in range(PASSES)]
figures = [f for name in APPS for f in figures_of(name, [taken[name] for taken in passes])] + measure_live()
report = {
    "machine": {"cores": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()},
    "versions": {"pyatspi": "Debian python3-pyatspi", "xa11y": version(XA11Y, "xa11y"), "python": platform.python_version()},
    "figures": figures,
}
with open(REPORT, "w") as out:
    json.dump(report, out, indent=1)
for f in figures:
    peers = ", ".join(f"{peer} {ms:.0f} ms" if ms else f"{peer} has no such thing" for peer, ms in f["peers"].items())
    faster = f"{f['ratio']} times faster than the faster peer" if f["ratio"] else ""
    print(f"{f['name']:<46} {f['ours']:>9.4f} {f['unit']}   {peers}   {faster}")
