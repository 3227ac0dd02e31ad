"""What a call from Python costs above the same call in Rust, and finding and reading an element of a live GTK app beside pyatspi,
dogtail and xa11y. All in this process and this run, interleaved. Run inside a private desktop by `script/bench python`.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import stillpoint as sp
from pairs import times_of

BASE, REPORT = sys.argv[1:3]
COMMAND = "script/bench python"
#: A table of sixty rows: about three hundred elements.
SCENE, CELL = "sim:table:60", '#row-30 >> button "Delete"'
ROUNDS, CALLS, FINDS = 300, 200, 20
EDITOR, NAME = "mousepad", "Go to..."
LIVE_ROUNDS, LIVE_CALLS = 60, 20


def once(work, times=1):
    """Microseconds of one call, the mean of so many."""
    began = time.perf_counter_ns()
    for _ in range(times):
        work()
    return (time.perf_counter_ns() - began) / times / 1000


class Rust:
    """The same calls in Rust, asked for by lines."""

    def __init__(self):
        self.process = subprocess.Popen([BASE, SCENE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.nodes = json.loads(self.process.stdout.readline())["nodes"]

    def once(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline()) / 1000

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def warm(samples):
    """Without the first tenth."""
    return samples[len(samples) // 10 :]


def figure(name, unit, samples, peers=None, beside=None, aim=None, **more):
    """The ratio is to the fastest of `peers`; what is told `beside` is no peer."""
    kept = sorted(warm(samples))
    p50, p99 = statistics.median(kept), kept[int((len(kept) - 1) * 0.99)]
    told = {who: round(statistics.median(warm(theirs)), 2) for who, theirs in {**(peers or {}), **(beside or {})}.items()}
    fastest = min(peers.values(), key=statistics.median) if peers else None
    found = {
        "name": name, "unit": unit, "ours": round(p50, 2), "p50": round(p50, 2), "p99": round(p99, 2),
        "samples": len(kept), "peers": told, "ratio": round(times_of(warm(samples), warm(fastest)), 5) if fastest else None,
        "command": COMMAND, **more,
    }
    if aim is not None:
        found.update(aim=aim, aim_for="p50", met=p50 <= aim)
    return found


def above_rust():
    """Calls on the simulator, in Python and in Rust by turns."""
    rust = Rust()
    idle, idle_rust, find, find_rust, text = [], [], [], [], []
    with sp.connect(SCENE) as app:
        app.wait_for_idle()
        assert app.find(CELL).element().label == "Delete"
        for _ in range(ROUNDS):
            idle.append(once(app.is_idle, CALLS))
            idle_rust.append(rust.once(f"is_idle {CALLS}"))
            find.append(once(lambda: app.find(CELL).element(), FINDS))
            find_rust.append(rust.once(f"find {FINDS} {CELL}"))
            text.append(once(lambda: app.find(CELL).text, FINDS))
    rust.end()
    nodes = {"nodes": rust.nodes}
    extra = lambda ours, theirs: [a - b for a, b in zip(ours, theirs)]
    return [
        figure("is_idle", "µs", idle, beside={"the same in Rust": idle_rust}),
        figure("is_idle, above the Rust call", "µs", extra(idle, idle_rust), aim=5.0),
        figure("find an element", "µs", find, beside={"the same in Rust": find_rust}, **nodes),
        figure("find an element, above the Rust call", "µs", extra(find, find_rust), aim=200.0, **nodes),
        figure("find an element and read its text", "µs", text, **nodes),
    ]


def with_pyatspi(pid):
    import pyatspi

    desktop = pyatspi.Registry.getDesktop(0)
    app = next(a for a in desktop if a is not None and a.get_process_id() == pid)

    def wanted(node):
        return node.name == NAME and node.getRole() == pyatspi.ROLE_PUSH_BUTTON

    def read():
        found = pyatspi.findDescendant(app, wanted)
        return found.name, found.getState().contains(pyatspi.STATE_ENABLED)

    return read


def with_dogtail():
    from dogtail.tree import root

    app = root.application(EDITOR)

    def read():
        found = app.child(name=NAME, roleName="push button", retry=False, showingOnly=False)
        return found.name, found.sensitive

    return read


def with_xa11y(pid):
    import xa11y

    app = xa11y.App.by_pid(pid)

    def read():
        found = app.locator(f'button[name="{NAME}"]').element()
        return found.name, found.enabled

    return read


def on_a_live_app():
    """Find a button of an editor by role and name, read its name and whether it is enabled."""
    editor = subprocess.Popen([EDITOR, "--disable-server"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with sp.app(pid=editor.pid) as app:
            app.wait_for_idle()
            nodes = len(app.snapshot())
            button = app.find(f'button "{NAME}"')

            def ours():
                found = button.element()
                return found.label, found.state["enabled"]

            peers = {"pyatspi": with_pyatspi(editor.pid), "dogtail": with_dogtail(), "xa11y": with_xa11y(editor.pid)}
            for read in (ours, *peers.values()):
                assert read() == (NAME, True), read
            mirror, theirs = [], {name: [] for name in peers}
            for _ in range(LIVE_ROUNDS):
                mirror.append(once(ours, LIVE_CALLS))
                for name, read in peers.items():
                    theirs[name].append(once(read))
    finally:
        editor.kill()
        editor.wait()
    note = "Ours reads its mirror, which the app's events keep; the others ask the app."
    return [figure(f"find and read in {EDITOR}", "µs", mirror, theirs, nodes=nodes, note=note)]


def main():
    figures = above_rust() + on_a_live_app()
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    report = {
        "machine": {"cpu": model, "cores": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()[0]},
        "versions": {
            "stillpoint": sp.__version__, "python": platform.python_version(), "pyatspi": "Debian's python3-pyatspi",
            "dogtail": importlib.metadata.version("dogtail"), "xa11y": importlib.metadata.version("xa11y"),
        },
        "figures": figures,
    }
    with open(REPORT, "w") as file:
        json.dump(report, file, indent=2, ensure_ascii=False)
        file.write("\n")
    for told in figures:
        aim = f"  aim ≤ {told['aim']}, {'met' if told['met'] else 'MISSED'}" if "aim" in told else ""
        print(f"{told['name']:48} p50 {told['p50']:>10} µs  p99 {told['p99']:>10} µs  {told['peers'] or ''}{aim}")
    print("→", REPORT)


if __name__ == "__main__":
    main()
