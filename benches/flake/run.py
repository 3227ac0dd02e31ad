"""Runs the flake lab in parallel lanes and writes what came out: `run.py --stillpoint PROGRAM --idle LIBRARY --peers FOLDER
--out FILE [--reps 500] [--peer-reps 50] [--lanes 10]`. Started by script/flake.

Repetitions are for each tool, pattern and surface; a tool that is used in two ways does half of them in each. Some lanes have every way
of driving, each with an app or page of its own, in turns; the others have ours alone, up to the number of repetitions. Each lane has its
own seed, hence its own delays."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

import machine
from tally import VERDICTS, tally

HERE = pathlib.Path(__file__).resolve().parent
PATTERNS = [one for one in json.loads((HERE.parents[1] / "apps/patterns/patterns.json").read_text()) if not one.get("bench")]
OURS = {"web": ["Stillpoint", "Stillpoint, expecting"], "desktop": ["Stillpoint, idle SDK", "Stillpoint, expecting"]}


def shares(total, most):
    """`total` in equal parts of at most `most`."""
    if total <= 0:
        return []
    parts = -(-total // most)
    return [total // parts + (n < total % parts) for n in range(parts)]


def plan(options):
    """(surface, seed, times of each way, whether the peers take part), those with peers first: they take longest. A lane with peers does
    `single` times where a tool has one way, half of that where it has two."""
    jobs, seed = [], options.seed
    halves = -(-options.reps // 2) - -(-options.peer_reps // 2)
    for with_peers, total, most in ((True, options.peer_reps, 10), (False, halves, 30)):
        for reps in shares(total, most):
            for surface in ("web", "desktop"):
                seed += 1
                jobs.append((surface, seed, reps, with_peers))
    return jobs


def command(options, job, out):
    surface, seed, reps, with_peers = job
    half = -(-reps // 2) if with_peers else reps
    common = [out, "--stillpoint", options.stillpoint, "--seed", str(seed), "--reps", str(half), "--single-reps", str(reps)]
    if not with_peers:
        common += [word for way in OURS[surface] for word in ("--only", way)]
    for name in options.pattern or []:
        common += ["--pattern", name]
    if surface == "web":
        return ["node", HERE / "web_lane.mjs", *common]
    python = os.path.join(options.peers, "desktop/bin/python")
    return [options.stillpoint, "desktop", "run", "--", "/usr/bin/python3", HERE / "desktop_lane.py", *common, "--idle", options.idle, "--peers", python]


def run(options, number, job, folder):
    out = folder / f"{number}.jsonl"
    env = {**os.environ, "PEERS": os.path.join(options.peers, "web")}
    began = time.monotonic()
    with open(folder / f"{number}.log", "w") as log:
        status = subprocess.run(command(options, job, out), env=env, stdout=log, stderr=log).returncode
    print(f"lane {number}: {job[0]}, seed {job[1]}, {job[2]} times{', with the peers' if job[3] else ''}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    if status:
        # What it found until then counts; that it ended is told.
        print(f"lane {number} ENDED with {status}; see {folder / f'{number}.log'}", file=sys.stderr)
        options.failed.append(f"lane {number} ({job[0]}, seed {job[1]}) ended with {status}")
    return [json.loads(line) for line in open(out)] if out.exists() else []


def run_all(options, folder, tell):
    """All lanes; `tell` is given what there is each time that one has ended."""
    folder.mkdir(parents=True, exist_ok=True)
    results, began = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.lanes) as pool:
        jobs = plan(options)
        running = [pool.submit(run, options, number, job, folder) for number, job in enumerate(jobs)]
        for number, job in enumerate(concurrent.futures.as_completed(running), 1):
            results += job.result()
            print(f"{number} of {len(jobs)} lanes, {len(results)} times, {time.monotonic() - began:.0f} s", file=sys.stderr)
            tell(results)
    return results


def earlier(path):
    """The rows of an earlier run, each with its date and processor."""
    told = json.loads(pathlib.Path(path).read_text())
    bench = told.get("flake", told) if isinstance(told.get("flake"), dict) else told
    seen = bench["machine"]
    return [{"of": f"{seen['date']}, {seen['cpu']}", **row} for row in bench["flake"]]


def with_kept(table, kept):
    """The rows of this run, then those of an earlier one that this run did not take."""
    taken = {(row["surface"], row["way"]) for row in table}
    return table + [row for row in kept if (row["surface"], row["way"]) not in taken]


def show(table):
    print(f"{'':9}{'way':34}{'times':>7}{'premature':>11}{'missed':>8}{'wrong':>7}   95 % interval     late p50 / p99")
    for row in table:
        if row["cannot"]:
            print(f"{row['surface']:9}{row['way']:34}  cannot")
            continue
        low, high = (100 * share for share in row["interval_95"])
        late = f"{row['late_p50_ms']:.0f} / {row['late_p99_ms']:.0f} ms" if row["late_p50_ms"] is not None else "–"
        print(f"{row['surface']:9}{row['way']:34}{row['times']:>7}{row['premature']:>11}{row['missed']:>8}{row['wrong']:>7}   {low:.2f}–{high:.2f} %   {late:>18}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("stillpoint", "idle", "peers", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--reps", type=int, default=500)
    parser.add_argument("--peer-reps", type=int, default=50)
    parser.add_argument("--lanes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pattern", action="append")
    parser.add_argument("--results", nargs="+", help="what lanes wrote before; nothing is run")
    parser.add_argument("--keep", help="an earlier flake.json or report.json, whose rows are kept where this run takes none")
    parser.add_argument("--note", help="what a reader must know about this run")
    options = parser.parse_args()
    out, began, options.failed = pathlib.Path(options.out), time.time(), []
    versions = machine.versions(options.stillpoint, options.peers)
    kept = earlier(options.keep) if options.keep else []

    def tell(results):
        table = with_kept(tally(results), kept)
        report = {"machine": machine.machine(), "versions": versions, "figures": [], "flake": table, "note": options.note, "failed": options.failed,
                  "seconds": None if options.results else round(time.time() - began), "reps": options.reps, "peer_reps": options.peer_reps,
                  "lanes": options.lanes, "patterns": [{"name": one["name"], "about": one["about"]} for one in PATTERNS]}
        # As a whole or not at all: a reader may look at any time.
        part = out.with_suffix(".part")
        part.write_text(json.dumps(report, indent=1) + "\n")
        part.rename(out)
        return table

    results = [json.loads(line) for name in options.results for line in open(name)] if options.results else run_all(options, out.parent / "flake", tell)
    table = tell(results)
    show(table)
    print(f"{time.time() - began:.0f} s → {out}")
    # Where the app or page says when it is busy, or the end is named, ours must never be early, late for ever, or wrong.
    promised = [row for row in table if row["way"] in OURS[row["surface"]]]
    return 1 if options.failed or any(row[name] for row in promised for name in VERDICTS[1:]) else 0


if __name__ == "__main__":
    sys.exit(main())
