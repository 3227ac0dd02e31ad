"""Makes the report from what the benches wrote: `build.py BENCH_FOLDER OUT_FOLDER`. One page that needs nothing else
(index.html), the same for programs (report.json). Sections without figures say which command takes them."""

import datetime
import json
import pathlib
import sys

from plots import bars, escape, figure, heat, lines, shares, short, table

HERE = pathlib.Path(__file__).resolve().parent
# What the documentation tells to do: an app that says when it is busy (a page always does), or an expectation that names the end.
PROMISED = ("Stillpoint", "Stillpoint, idle SDK", "Stillpoint, expecting")
SURFACES = {"desktop": "Desktop: a GTK 3 program", "web": "Web: a page in Chromium"}


def is_ours(name):
    return name.lower().startswith("stillpoint")


def rows_of(one):
    """A figure's bars: ours first, then the peers."""
    return [("Stillpoint", one["ours"], True)] + [(name, value, is_ours(name)) for name, value in one["peers"].items()]


def next_best(one):
    numbers = [value for value in one["peers"].values() if isinstance(value, (int, float))]
    return f"the next best peer needs {short(min(numbers))}" if numbers else "no peer could do it"


class Report:
    def __init__(self, folder):
        self.benches = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}

    def figures(self, task):
        return [one for bench in self.benches.values() for one in bench["figures"] if one.get("task") == task]

    def missing(self, command):
        return f"<p class=soft>Not measured in this run: <code>{command}</code> takes it.</p>"

    # The sections

    def lead(self):
        cards = []
        flake = self.benches.get("flake")
        if flake:
            ours = [row for row in flake["flake"] if row["way"] in PROMISED]
            times, failed = sum(row["times"] for row in ours), sum(row["times"] - row["right"] for row in ours)
            cards.append((f"{failed} of {times:,}", "reads by Stillpoint that were too early, missing or wrong, used as its documentation says"))
        for one in self.figures("act"):
            rivals = [value for name, value in one["peers"].items() if name.endswith("its answer") and isinstance(value, (int, float))]
            if one["name"] == "web: no work" and rivals:
                cards.append((short(one["ours"], "ms"), f"from a click to the settled answer on a page; the fastest peer that knows by itself takes {short(min(rivals), 'ms')}"))
        for one in self.figures("tokens"):
            if one["name"] == "a change on a page of 500 rows":
                cards.append((short(one["ours"]), f"tokens to learn what a click changed on a page of 500 rows; {next_best(one)}"))
        for one in self.figures("economy-total"):
            cards.append((short(one["ours"]), f"tokens for ten scripted journeys; {next_best(one)}"))
        return '<div class="lead">' + "".join(f"<div><strong>{value}</strong>{escape(words)}</div>" for value, words in cards) + "</div>"

    def flake(self):
        bench = self.benches.get("flake")
        if not bench:
            return self.missing("script/flake")
        order = {"desktop": 0, "web": 1}
        ours = [*PROMISED, "Stillpoint, preloaded loop", "Stillpoint, events only"]
        place = lambda way: ours.index(way) if way in ours else len(ours)
        rows = sorted(bench["flake"], key=lambda row: (order[row["surface"]], place(row["way"]), row["way"]))
        listed = [(SURFACES[row["surface"]], row["way"], row, row["way"] in PROMISED) for row in rows]
        peers = f"{bench['peer_reps']} for each other tool, shared among the ways in which it is used, " if bench["peer_reps"] else ""
        kept = "; ".join(sorted({row["of"] for row in rows if row.get("of")}))
        remark = (f"Rows that this run did not take are kept from an earlier one ({kept}). " if kept else "") + (bench.get("note") or "")
        about = (f"{len(bench['patterns'])} asynchronous patterns on each surface, delays drawn from a seed. Each tool acts, waits in its own way and reads; the app logs the truth. "
                 f"{bench['reps']} times per pattern and surface for Stillpoint, {peers}in {bench['lanes']} parallel lanes that share the machine. {remark}")
        parts = [figure("flakes", "How often the state that was read was not the final one", about, shares(listed), "script/flake")]
        late = [(SURFACES[surface], [(f"{row['way']}", row["late_p50_ms"], is_ours(row["way"])) for row in rows if row["surface"] == surface and row["late_p50_ms"] is not None]) for surface in order]
        parts.append(figure("late", "How long after the truth the right answer came", f"Median over all right answers. A tool that is early and wrong does not appear quick here. {remark}", bars(late, "ms", log=True), "script/flake"))
        head = ["way", "surface", "times", "premature", "missed", "wrong", "95 % interval", "late p50", "late p99"]
        name = lambda row: escape(row["way"]) + (f" <span class=soft>({row['of']})</span>" if row.get("of") else "")
        cells = [[name(row), row["surface"], row["times"], row["premature"], row["missed"], row["wrong"],
                  f"{100 * row['interval_95'][0]:.2f}–{100 * row['interval_95'][1]:.2f} %", short(row["late_p50_ms"], "ms"), short(row["late_p99_ms"], "ms")] if not row["cannot"]
                 else [name(row), row["surface"], "cannot", "", "", "", "", "", ""] for row in rows]
        parts.append(table(head, cells, range(2, 9)))
        for surface in order:
            ways = [(row["way"], row["patterns"]) for row in rows if row["surface"] == surface and not row["cannot"]]
            parts.append(figure(f"patterns-{surface}", f"Pattern by pattern, {surface}", "The share of reads that were not right, in %.", heat(bench["patterns"], ways), "script/flake"))
        parts.append("<p class=soft>“Expecting”, “locator”, “listening”, “searching”, “wait_for” and “explicit wait” were told the text to wait for. The others know nothing of the page: they have to find out by "
                     "themselves when it is done.</p>"
                     "<p class=soft>How Stillpoint is to be used: a page is driven as it is (“Stillpoint”), for its browser tells what is under way. A desktop app says by the idle SDK when it is busy (“idle SDK”), "
                     "or whoever drives it names the end that is expected (“expecting”). The other two rows are what remains without either, shown beside them: “events only” answers after a quiet window of 150 ms, "
                     "which an app that works silently for longer outlasts; “preloaded loop” knows from a library preloaded into the unmodified app that its main loop sleeps, not that it waits for a timer, a request or a thread.</p>"
                     "<p class=soft>Intervals are Wilson's, at 95 %. Every pattern names its end as a careful author would; where the end is that something goes, the tools that can wait for that do.</p>")
        if bench.get("failed"):
            parts.append(f"<p class=soft>Not complete: {escape('; '.join(bench['failed']))}.</p>")
        return "".join(parts)

    def bars_of(self, task, identifier, title, about, command, unit=None, log=True):
        found = self.figures(task)
        if not found:
            return f"<h3>{escape(title)}</h3>" + self.missing(command)
        groups = [(one["name"], rows_of(one)) for one in found]
        return figure(identifier, title, about, bars(groups, unit or found[0]["unit"], log), command)

    def growth(self, task, identifier, title, about, x_label, command):
        found = self.figures(task)
        if not found:
            return f"<h3>{escape(title)}</h3>" + self.missing(command)
        series = {}
        for one in found:
            for name, value, _ in rows_of(one):
                if isinstance(value, (int, float)):
                    series.setdefault(name, []).append((one["x"], value))
        words = {(name, value if value.startswith("cannot") else f"at {one['x']:,}: {value}"): None for one in found for name, value, _ in rows_of(one) if isinstance(value, str)}
        told = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in words)
        body = lines(list(series.items()), x_label, f"{found[0]['unit']}") + (f"<ul class=soft>{told}</ul>" if told else "")
        return figure(identifier, title, about, body, command)

    def tasks(self):
        command, app, page = "script/bench tasks", "elements in the app", "elements on the page"
        cap = "Of a page of more than 15,000 nodes Stillpoint reads 4,000: half of them nearest to the top, then what is on screen in full, then from the beginning; and of any list 1,000 around what is on screen. It counts what it leaves out."
        return "".join([
            self.bars_of("act", "act", "Act, and read the state at rest", "From the call to the answer that holds the final state, by the length of the work that the app does. A bar is only there where the answer was right; a peer may be wrong twice.", command),
            self.growth("first-desktop", "first-desktop", "First tree of a desktop app", "From nothing to the whole tree with roles, names and states.", app, command),
            self.growth("again-desktop", "again-desktop", "Reading a desktop app again", "The same, when nothing changed.", app, command),
            self.growth("find-desktop", "find-desktop", "Find an element of a desktop app by role and label", "A label at three quarters of the tree. What a tool has read before, it may keep.", app, command),
            self.growth("memory-desktop", "memory-desktop", "Memory after reading a desktop app", "Of the tool with all that it started, Python included where it is a library; without the files that they map.", app, command),
            self.growth("first-web", "first-web", "First tree of a page", f"From nothing (the tool and its browser are started) to the tree. {cap}", page, command),
            self.growth("again-web", "again-web", "Reading a page again", "The same, when nothing changed.", page, command),
            self.growth("find-web", "find-web", "Find a button on a page by its name", "What a tool has read before, it may keep.", page, command),
            self.bars_of("never", "never", "Wait for a change that never comes", "Processor time that the tool and the app use, for each second of waiting.", command),
            self.growth("bytes-web", "bytes-web", "Size of a snapshot", "Bytes of the text that an agent is given. Stillpoint tells the rows on screen and counts the others.", page, command),
            self.growth("tokens-web", "tokens-web", "Tokens of a snapshot", "With one tokenizer for all (o200k_base of gpt-tokenizer).", page, command),
            self.bars_of("delta", "delta", "Size of a change", "Bytes that an agent reads to learn what its click changed.", command),
            self.bars_of("tokens", "tokens", "Tokens", "With the same tokenizer.", command),
            self.growth("sessions", "sessions", "Memory by sessions", "Of one Stillpoint server with so many simulated apps open. The peers drive pages or apps alone: see below.", "sessions", command),
            self.growth("sessions-time", "sessions-time", "Finding by sessions", "The time to find an element in one of so many simulated apps.", "sessions", command),
            self.growth("pages", "pages", "Memory by pages that are open at once", "With all browsers, without the files that they map. Stillpoint starts a browser for each page, Selenium a driver and a browser; the others open tabs in one browser.", "pages", command),
            self.growth("pages-time", "pages-time", "Opening one more page", "From the address to its first snapshot, the median of the pages opened since the mark before.", "pages", command),
            self.bars_of("memory", "memory", "Memory", "With a page of 3,500 elements open; without the files that the processes map.", command),
        ])

    def economy(self):
        return self.bars_of("economy-calls", "calls", "Calls for ten journeys", "No model takes part: each journey is the shortest script that a careful agent could follow with that server.", "script/bench economy", "calls", False) + \
            self.bars_of("economy-tokens", "economy", "Tokens for ten journeys", "What the agent sends and is given, over the real protocol.", "script/bench economy", "tokens")

    def all_figures(self):
        rows = []
        for name, bench in self.benches.items():
            for one in bench["figures"]:
                peers = ", ".join(f"{escape(peer)} {short(value) if isinstance(value, (int, float)) else escape(value)}" for peer, value in one["peers"].items())
                rows.append([escape(one["name"]), short(one["ours"], one["unit"]), short(one["p99"], one["unit"]) if one["p99"] is not None else "–", one["samples"], peers, f"<code>{escape(one['command'])}</code>"])
        return table(["figure", "Stillpoint, p50", "p99", "samples", "peers", "command"], rows, (1, 2, 3))

    def limits(self):
        rows = json.loads((HERE / "limits.json").read_text())
        measured = lambda row: "" if row["measured"] else "<b>not measured:</b> "
        return table(["task", "biggest cost", "how it is known", "next step"], [[escape(row["task"]), escape(row["cost"]), measured(row) + escape(row["known_by"]), escape(row["next"])] for row in rows])

    def machine(self):
        seen = next((bench["machine"] for bench in self.benches.values() if "date" in bench["machine"]), {})
        versions = {}
        for bench in self.benches.values():
            versions.update({name: value for name, value in bench["versions"].items() if value})
        return seen, versions

    def page(self):
        seen, versions = self.machine()
        about = ", ".join(str(part) for part in (f"{seen.get('cores')} cores of {seen.get('cpu')}", f"{seen.get('memory_mib', 0) // 1024} GiB", seen.get("system")) if part)
        date = seen.get("date", datetime.date.today().isoformat())
        told = [bench["machine"]["load"] for bench in self.benches.values() if bench["machine"].get("load")]
        loads = [round(load[0] if isinstance(load, list) else load, 1) for load in told]
        busy = f" · load {min(loads)} to {max(loads)} at the end of each bench" if loads else ""
        sections = [
            ("Does it read the final state?", self.flake()),
            ("The same tasks, side by side", self.tasks()),
            ("What a journey costs an agent", self.economy()),
            ("What limits us now", self.limits()),
            ("Every figure", self.all_figures()),
            ("Versions", table(["what", "version"], [[escape(name), escape(value)] for name, value in sorted(versions.items())])),
        ]
        body = "".join(f"<section><h2>{title}</h2>{content}</section>" for title, content in sections)
        return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stillpoint beside its peers</title><style>{(HERE / 'style.css').read_text()}</style>
<body><h1>Stillpoint beside its peers</h1>
<p>Programs that drive user interfaces have to know when an app is done. Most sleep, poll, or hope; tests then fail now and then, and agents look at screens that are
about to change. Stillpoint follows an app's accessibility tree live and answers when the app has come to rest. This page is one run of it beside other tools, on the same machine, in turns.</p>
<p class="soft">{escape(date)} · {escape(about)}{escape(busy)}</p>{self.lead()}{body}</body></html>
"""


def main():
    benches, out = (pathlib.Path(name) for name in sys.argv[1:3])
    report = Report(benches)
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.html").write_text(report.page())
    (out / "report.json").write_text(json.dumps(report.benches, indent=1) + "\n")
    print(f"→ {out / 'index.html'}")


if __name__ == "__main__":
    main()
