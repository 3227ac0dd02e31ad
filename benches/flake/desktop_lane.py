"""A lane of the desktop's flake lab, inside a private desktop: every way of driving has an app of its own and takes its turn at
each pattern. Results go to OUT, one JSON line for each time.

usage: desktop_lane.py OUT --stillpoint PROGRAM --idle LIBRARY --peers PYTHON --seed N --reps N --single-reps N [--only WAY] [--pattern NAME]

`--single-reps` are those of a tool that is used in one way alone.
"""

import argparse
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
APP = HERE.parents[1] / "apps" / "patterns"
PATTERNS = json.loads((APP / "patterns.json").read_text())

# Longer than any pattern takes.
LONGEST_S = 20
ATTACHMENTS = 10

# name: the tool, what its app says of itself, whether the tool is told what to wait for.
WAYS = {
    "Stillpoint, idle SDK": ("stillpoint", "sdk", False),
    "Stillpoint, expecting": ("stillpoint", "", True),
    # What is left where the app says nothing, or its loop alone, and nobody tells what to wait for.
    "Stillpoint, events only": ("stillpoint", "", False),
    "Stillpoint, preloaded loop": ("stillpoint", "loop", False),
    "pyatspi, listening": ("pyatspi", "", True),
    "dogtail, searching": ("dogtail", "", True),
    "dogtail, its delay": ("dogtail", "", False),
    "xa11y, locator": ("xa11y", "", True),
}


class Way:
    """A tool's process and the app that it drives."""

    def __init__(self, name, options, place, filler=0):
        self.name = name
        tool, speaks, self.is_told = WAYS[name]
        self.is_single = sum(other[0] == tool for other in WAYS.values()) == 1
        self.pipe = os.path.join(tempfile.mkdtemp(prefix="stillpoint-flake-"), "truth")
        os.mkfifo(self.pipe)
        more = ["--idle", options.idle] if speaks == "sdk" else []
        preload = os.path.join(os.path.dirname(options.idle), "libstillpoint_idle_preload.so")
        env = {**os.environ, "LD_PRELOAD": preload} if speaks == "loop" else None
        at = f"{20 + 90 * place},{20 + 40 * place}"
        self.app = subprocess.Popen(["/usr/bin/python3", APP / "desktop.py", "--seed", str(options.seed), "--truth", self.pipe, "--at", at, "--filler", str(filler), *more],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1, env=env)
        # Unbuffered, so that what select says is so.
        self.truth = open(self.pipe, "rb", buffering=0)
        pid = int(self.app.stdout.readline().split()[1])
        python = options.peers if tool in ("xa11y", "dogtail") else "/usr/bin/python3"
        given = [options.stillpoint] if tool == "stillpoint" else []
        self.tool = subprocess.Popen([python, HERE / "desktop_tools.py", tool, *given], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=sys.stderr if options.verbose else subprocess.DEVNULL, text=True, bufsize=1)
        self.attach(pid)

    def attach(self, pid):
        """An app of 50,000 elements is silent for seconds after its window is there, and a tool that asks then does not find it. So the app is asked
        for a word by its own pipe first, and again after each try in vain."""
        for _ in range(ATTACHMENTS):
            self.choose(PATTERNS[0]["name"])
            attached = self.ask({"attach": pid})
            if "ok" in attached:
                return
        raise RuntimeError(f"{self.name} cannot attach: {attached}")

    def choose(self, pattern):
        self.app.stdin.write(f"pattern {pattern}\n")
        self.app.stdout.readline()
        self.n = 0

    def ask(self, command):
        try:
            self.tool.stdin.write(json.dumps(command) + "\n")
            line = self.tool.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": f"the tool's process ended with {self.tool.wait()}", "at": time.monotonic_ns()}

    def once(self, pattern):
        self.n += 1
        n = self.n
        expect, gone = (pattern[key].replace("{n}", str(n)) if self.is_told and key in pattern else None for key in ("expect", "expect_gone"))
        answer = self.ask({"do": pattern["do"], "n": n, "expect": expect, "gone": gone})
        result = {"surface": "desktop", "way": self.name, "pattern": pattern["name"], "n": n}
        if "cannot" in answer:
            return {**result, "verdict": "cannot", "why": answer["cannot"]}
        truth = self.next_truth(n)
        if truth is None:
            # It did not even reach the app, which counts its own times: both begin again.
            self.choose(pattern["name"])
            return {**result, "verdict": "missed", "why": f"the app was not reached: {answer.get('error', '')[:300]}", "late_ms": 0, "took_ms": 0}
        return {**result, **judge(answer, truth, n)}

    def next_truth(self, n):
        """What the app logs about this time; None if it logs nothing for longer than any pattern takes."""
        while select.select([self.truth], [], [], LONGEST_S)[0]:
            truth = json.loads(self.truth.readline())
            if truth["n"] >= n:
                return truth
        return None

    def is_alive(self):
        return self.tool.poll() is None and self.app.poll() is None

    def close(self):
        for process in (self.tool, self.app):
            if process.poll() is None:
                process.stdin.close()
                process.wait()
        self.truth.close()
        os.unlink(self.pipe)
        os.rmdir(os.path.dirname(self.pipe))


def judge(answer, truth, n):
    """What was read decides; the clock says whether it was too early or out of date."""
    times = {"took_ms": round((truth["end"] - truth["begin"]) / 1e6, 3), "late_ms": round((answer["at"] - truth["end"]) / 1e6, 3)}
    if "error" in answer:
        return {**times, "verdict": "missed", "why": answer["error"][:300]}
    text = answer["text"]
    is_final = truth["n"] == n and all(word in text for word in truth["final"]) and not any(word in text for word in truth["gone"])
    if is_final:
        return {**times, "verdict": "right", "call_ms": round((answer["at"] - answer["began"]) / 1e6, 3)}
    kind = "premature" if answer["at"] < truth["end"] else "wrong"
    return {**times, "verdict": kind, "read": text[-600:], "final": truth["final"], "gone": truth["gone"], "truth_n": truth["n"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    for name in ("stillpoint", "idle", "peers"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--single-reps", type=int, default=5)
    parser.add_argument("--only", action="append")
    parser.add_argument("--pattern", action="append")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    ways = {name: Way(name, options, place) for place, name in enumerate(options.only or WAYS)}
    chosen = [one for one in PATTERNS if one["name"] in options.pattern] if options.pattern else [one for one in PATTERNS if not one.get("bench")]
    with open(options.out, "w", buffering=1) as out:
        for pattern in chosen:
            for way in ways.values():
                way.choose(pattern["name"])
            cannot = set()
            for n in range(1, max(options.reps, options.single_reps) + 1):
                for place, (name, way) in enumerate(list(ways.items())):
                    if name in cannot or n > (options.single_reps if way.is_single else options.reps):
                        continue
                    result = way.once(pattern)
                    out.write(json.dumps(result) + "\n")
                    if result["verdict"] == "cannot":
                        cannot.add(name)
                    elif not way.is_alive():
                        # Its cell says so already; the others go on.
                        way.close()
                        ways[name] = Way(name, options, place)
                        ways[name].choose(pattern["name"])
    for way in ways.values():
        way.close()


if __name__ == "__main__":
    main()
