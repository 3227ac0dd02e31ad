"""The line protocol: one command per line on stdin, one reply per line on stdout. See ../README.md."""

import argparse
import json
import os
import resource
import sys
import time

from . import screens
from .delays import Delays
from .idle import Silent, speaking
from .readiness import WhenVisible
from .scenario import Scenario
from .truth import Truth


def arguments():
    parser = argparse.ArgumentParser(description="A small program with known asynchronous behaviour.")
    parser.add_argument("--seed", type=int, default=1, help="what the delays are drawn from")
    parser.add_argument("--delay-min", type=int, default=120, help="shortest delay in ms")
    parser.add_argument("--delay-max", type=int, default=240, help="longest delay in ms")
    parser.add_argument("--items", type=int, default=8, help="how many items the feed loads")
    parser.add_argument("--page", default="login", choices=list(screens.PAGES), help="the first page")
    parser.add_argument("--idle", metavar="LIBRARY", help="report with this libstillpoint_idle.so when it is busy")
    return parser.parse_args()


class Protocol:
    def __init__(self, toolkit, scenario):
        self.ui, self.scenario = toolkit, scenario
        self.unread = b""

    def say(self, line):
        # One write per line, so that a reader never sees half of one; never the toolkit's own stdout.
        os.write(sys.stdout.fileno(), (line + "\n").encode())

    def readable(self):
        received = os.read(0, 65536)
        if not received:
            # Whoever started us is gone.
            self.ui.quit()
            return False
        *lines, self.unread = (self.unread + received).split(b"\n")
        for line in lines:
            self.command(line.decode().strip())
        return True

    def command(self, line):
        word, _, rest = line.partition(" ")
        try:
            handler = getattr(self, "do_" + word.replace("-", "_"), None)
            if handler is None:
                raise ValueError(f"no command {word!r}")
            handler(rest)
        except Exception as problem:  # the test reads it; the app goes on
            self.say(f"error {type(problem).__name__}: {problem}")

    def do_show(self, page):
        self.scenario.show(page)
        self.ui.when_idle(lambda: self.say(f"ok show {page}"))

    def do_pages(self, _):
        self.say(json.dumps(list(screens.PAGES)))

    def do_op(self, name):
        self.scenario.operations[name]()
        self.say(f"ok op {name}")

    def do_set(self, rest):
        identifier, _, text = rest.partition(" ")
        kind = self.ui.kind(identifier)
        if kind in ("entry", "password"):
            self.ui.set_text(identifier, text)
        elif kind in ("check", "radio"):
            self.ui.set_checked(identifier, text == "true")
        elif kind in ("slider", "spin"):
            self.ui.set_value(identifier, float(text))
        elif kind == "combo":
            self.ui.choose(identifier, screens.COLOURS.index(text))
        else:
            self.ui.set_name(identifier, text)
        self.say(f"ok set {identifier}")

    def do_rest(self, _):
        self.scenario.rest(lambda: self.say("ok rest"))

    def do_activated(self, rest):
        identifier, count = rest.split()
        self.scenario.truth.when("activated", identifier, int(count), lambda: self.say(f"ok activated {rest}"))

    def do_happened(self, rest):
        kind, identifier, count = rest.split()
        self.scenario.truth.when(kind, identifier, int(count), lambda: self.say(f"ok happened {rest}"))

    def do_mutate(self, rest):
        count, seed, *interval = (int(word) for word in rest.split())
        done = lambda: self.say(f"done {count}")
        self.scenario.playground.mutate(count, seed, interval[0] if interval else 0, done)

    def do_truth(self, _):
        self.say(json.dumps(self.scenario.report()))

    def do_busyloop(self, milliseconds):
        until = time.monotonic_ns() + int(milliseconds) * 1_000_000
        self.say("ok busyloop")
        operation = self.scenario.truth.begin("busyloop", int(milliseconds))
        while time.monotonic_ns() < until:
            pass
        self.scenario.truth.end(operation)

    def do_log(self, _):
        """Only the operations, without the widgets: cheap enough to be asked often."""
        self.say(json.dumps(list(self.scenario.truth.operations)))

    def do_idle(self, library):
        truth = self.scenario.truth
        if library == "off":
            truth.idle.stop()
            truth.speak(Silent())
        else:
            truth.speak(speaking(library, self.ui))
        self.say("ok idle")

    def do_crash(self, _):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.abort()

    def do_quit(self, _):
        self.say("ok quit")
        self.ui.quit()


def main(toolkit):
    """Builds the window, says `ready` when it is mapped and visible to assistive tools, and runs."""
    options = arguments()
    delays = Delays(options.seed, options.delay_min, options.delay_max)
    scenario = Scenario(toolkit, Truth(toolkit.when_free), delays, options.items)
    if options.idle:
        scenario.truth.speak(speaking(options.idle, toolkit))
    protocol = Protocol(toolkit, scenario)
    pages = {name: dict(page, children=[]) if name == "rows" else page for name, page in screens.PAGES.items()}
    toolkit.open_window(pages, f"Stillpoint fixture ({toolkit.name})")
    scenario.show(options.page)

    def ready():
        about = {"pid": os.getpid(), "toolkit": toolkit.name, "version": toolkit.version}
        protocol.say("ready " + json.dumps(about))
        toolkit.watch_input(0, protocol.readable)

    toolkit.when_mapped(lambda: WhenVisible(lambda: toolkit.when_idle(ready)))
    return toolkit.run()
