#!/usr/bin/python3
"""The patterns of patterns.json as a GTK 3 program. Delays come from a seed. For each time that a pattern ran, one line of
JSON with the truth goes to --truth: when it began and ended (CLOCK_MONOTONIC nanoseconds), what it shows in the end, and
what it showed on the way. Commands on stdin: `pattern NAME` (answered by `ok NAME` on stdout), `quit`."""

import argparse
import json
import os
import pathlib
import sys
import threading
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from shared.idle import Silent, speaking
from shared.readiness import WhenVisible

CLOCK_MS = 100


def delay(seed, pattern, run, step, shortest, longest):
    """The same number on every surface: it depends on these alone (see web.js)."""
    mixed = 2166136261
    for byte in f"{seed}/{pattern}/{run}/{step}".encode():
        mixed = ((mixed ^ byte) * 16777619) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
    return shortest + mixed % (longest - shortest + 1)


class Stage(Gtk.Window):
    """What a pattern plays on."""

    def __init__(self, at, filler):
        super().__init__(title="Patterns", default_width=420, default_height=420)
        self.move(*at)
        self.go = Gtk.Button(label="Go")
        self.field = Gtk.Entry()
        self.field.get_accessible().set_name("Input")
        head = Gtk.Box(spacing=6)
        head.add(self.go)
        head.add(self.field)
        whole = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, margin=6)
        whole.add(head)
        self.pages = Gtk.Stack()
        whole.add(self.pages)
        self.add(whole)
        self.slots, self.window = {}, None
        self.add_filler(whole, filler)
        whole.show_all()

    def add_filler(self, whole, count):
        """So many more labels below, a hundred in each group."""
        if not count:
            return
        groups = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for first in range(0, count, 100):
            group = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
            for number in range(first, min(first + 100, count)):
                group.add(Gtk.Label(label=f"Filler {number}", xalign=0))
            groups.add(group)
        scrolled = Gtk.ScrolledWindow(vexpand=True)
        scrolled.add(groups)
        whole.pack_start(scrolled, True, True, 0)

    def reset(self, clock):
        for page in self.pages.get_children():
            page.destroy()
        self.close_dialog()
        first, second = (Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4) for _ in range(2))
        self.slots = {"status": Gtk.Label(label="Nothing yet", xalign=0), "spinner": Gtk.Spinner(no_show_all=True),
                      "bar": Gtk.ProgressBar(no_show_all=True), "next": Gtk.Button(label="Continue"), "list": Gtk.ListBox(),
                      "clock": Gtk.Label(label="Tick 0", xalign=0, no_show_all=not clock), "title": Gtk.Label(label="Second page", xalign=0)}
        self.slots["list"].get_accessible().set_name("List")
        for name in ("status", "spinner", "bar", "list", "next", "clock"):
            first.add(self.slots[name])
        second.add(self.slots["title"])
        self.place = first
        self.pages.add_named(first, "first")
        self.pages.add_named(second, "second")
        self.pages.show_all()
        self.pages.set_visible_child_name("first")

    # Each is one kind of step.

    def say(self, slot, text):
        if slot == "note" and "note" not in self.slots:
            self.slots["note"] = Gtk.Label(xalign=0, visible=True)
            self.place.add(self.slots["note"])
        self.slots[slot].set_label(text)

    def show_slot(self, slot):
        self.slots[slot].show()
        self.slots[slot].set_property("active", True)

    def hide_slot(self, slot):
        if slot == "note":
            self.slots.pop("note").destroy()
        else:
            self.slots[slot].hide()

    def add_row(self, text):
        row = Gtk.Label(label=text, xalign=0)
        self.slots["list"].add(row)
        self.slots["list"].show_all()

    def clear(self):
        for row in self.slots["list"].get_children():
            row.destroy()

    def reverse(self):
        texts = [row.get_child().get_label() for row in self.slots["list"].get_children()]
        self.clear()
        for text in reversed(texts):
            self.add_row(text)

    def remake(self, slot, text):
        old = self.slots[slot]
        at = self.place.get_children().index(old)
        old.destroy()
        self.slots[slot] = Gtk.Label(label=text, xalign=0, visible=True)
        self.place.add(self.slots[slot])
        self.place.reorder_child(self.slots[slot], at)

    def bar(self, percent):
        self.slots["bar"].show()
        self.slots["bar"].set_fraction(percent / 100)
        if percent == 100:
            self.slots["bar"].hide()

    def open_dialog(self, text):
        self.window = Gtk.Dialog(title="Please wait", transient_for=self, modal=True)
        self.window.get_content_area().add(Gtk.Label(label=text, visible=True))
        self.window.show()

    def close_dialog(self):
        if self.window:
            self.window.destroy()
        self.window = None


class Player:
    """Runs the steps, and knows the truth."""

    def __init__(self, stage, seed, truth, idle):
        self.stage, self.seed, self.truth, self.idle = stage, seed, truth, idle
        self.patterns = {one["name"]: one for one in json.loads((HERE / "patterns.json").read_text())}
        self.pattern, self.run, self.turn, self.ticket = None, 0, 0, None
        self.ticking = None
        stage.go.connect("clicked", lambda *_: self.begin("tap", self.run + 1))
        stage.field.connect("changed", lambda *_: stage.field.get_text().isdigit() and self.begin("type", int(stage.field.get_text())))

    def choose(self, name):
        self.stop()
        self.pattern, self.run = self.patterns[name], 0
        if self.ticking:
            GLib.source_remove(self.ticking)
            self.ticking = None
        clock = self.pattern.get("clock", False)
        self.stage.field.set_text("")
        self.stage.reset(clock)
        self.ticks = 0
        if clock:
            self.ticking = GLib.timeout_add(CLOCK_MS, self.tick)

    def tick(self):
        self.ticks += 1
        self.stage.say("clock", f"Tick {self.ticks}")
        return True

    def stop(self):
        """What was under way is off: later steps of an earlier turn do nothing."""
        self.turn += 1
        if self.ticket is not None:
            self.idle.end(self.ticket)
            self.ticket = None

    def begin(self, kind, run):
        if self.pattern is None or self.pattern["do"] != kind:
            return
        self.stop()
        self.ticket = self.idle.begin("pattern")
        self.run, self.began, self.told = run, time.monotonic_ns(), {}
        self.go_on(0, self.turn)

    def go_on(self, step, turn):
        if turn != self.turn:
            return
        steps = self.pattern["steps"]
        while step < len(steps):
            verb, *given = steps[step]
            step += 1
            if verb == "wait":
                milliseconds = delay(self.seed, self.pattern["name"], self.run, step, given[0], given[1])
                getattr(self, f"by_{given[2]}")(milliseconds, lambda at=step: self.go_on(at, turn))
                return
            self.play(verb, step, *(self.fill(word) for word in given))
        self.end()

    def fill(self, word):
        if not isinstance(word, str):
            return word
        text = word.replace("{n}", str(self.run))
        if text != word:
            self.told[text] = True
        return text

    def play(self, verb, step, *given):
        if verb == "block":
            until = time.monotonic_ns() + delay(self.seed, self.pattern["name"], self.run, step, *given) * 1_000_000
            while time.monotonic_ns() < until:
                pass
            return
        act = {"say": self.stage.say, "show": self.stage.show_slot, "hide": self.stage.hide_slot, "add": self.stage.add_row,
               "clear": self.stage.clear, "reverse": self.stage.reverse, "remake": self.stage.remake, "bar": self.stage.bar,
               "dialog": self.stage.open_dialog, "close": self.stage.close_dialog,
               "page": self.stage.pages.set_visible_child_name,
               "enable": lambda slot: self.stage.slots[slot].set_sensitive(True),
               "disable": lambda slot: self.stage.slots[slot].set_sensitive(False)}
        act[verb](*given)

    def end(self):
        shown = self.shown()
        record = {"pattern": self.pattern["name"], "n": self.run, "begin": self.began, "end": time.monotonic_ns(),
                  "final": [text for text in self.told if text in shown], "gone": [text for text in self.told if text not in shown]}
        self.truth.write(json.dumps(record) + "\n")
        self.truth.flush()
        # After the time was taken: a guard lasts at least as long as its work.
        self.idle.end(self.ticket)
        self.ticket = None

    def shown(self):
        slots, first = self.stage.slots, self.stage.pages.get_visible_child_name() == "first"
        if not first:
            return {slots["title"].get_label()}
        texts = {slots[name].get_label() for name in ("status", "next", "note") if name in slots}
        return texts | {row.get_child().get_label() for row in slots["list"].get_children()}

    # The ways in which work is done elsewhere.

    def by_timer(self, milliseconds, then):
        GLib.timeout_add(milliseconds, lambda: then() and False)

    def by_io(self, milliseconds, then):
        """Something outside answers through a pipe."""
        reading, writing = os.pipe()
        threading.Timer(milliseconds / 1000, lambda: os.close(writing)).start()

        def readable(*_):
            os.close(reading)
            then()
            return False

        GLib.io_add_watch(reading, GLib.PRIORITY_DEFAULT, GLib.IO_HUP | GLib.IO_IN, readable)

    def by_thread(self, milliseconds, then):
        threading.Timer(milliseconds / 1000, lambda: GLib.idle_add(lambda: then() and False)).start()

    def by_frames(self, milliseconds, then):
        until = time.monotonic_ns() + milliseconds * 1_000_000

        def frame(*_):
            if time.monotonic_ns() < until:
                return True
            then()
            return False

        self.stage.add_tick_callback(frame)


class Watched:
    """What the idle SDK needs to know of the main loop."""
    name = "gtk3"

    def watch_loop(self, sdk):
        return sdk.track_glib()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--truth", default="/dev/stderr", help="where the truth is logged")
    parser.add_argument("--idle", metavar="LIBRARY", help="say with this libstillpoint_idle.so when work is under way")
    parser.add_argument("--at", default="0,0", help="where the window is")
    parser.add_argument("--filler", type=int, default=0, help="so many more elements")
    options = parser.parse_args()
    GLib.set_prgname("patterns")
    Gtk.init([])
    Gtk.Settings.get_default().set_property("gtk-cursor-blink", False)
    Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
    idle = speaking(options.idle, Watched()) if options.idle else Silent()
    stage = Stage([int(n) for n in options.at.split(",")], options.filler)
    loop = GLib.MainLoop()
    player = Player(stage, options.seed, open(options.truth, "a"), idle)

    def readable(*_):
        line = sys.stdin.readline().strip()
        word, _, name = line.partition(" ")
        if word == "pattern":
            player.choose(name)
            print(f"ok {name}", flush=True)
        else:
            loop.quit()
        return True

    stage.connect("destroy", lambda *_: loop.quit())
    stage.connect("map-event", lambda *_: WhenVisible(lambda: print(f"ready {os.getpid()}", flush=True)) and False)
    stage.present()
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, readable)
    loop.run()


if __name__ == "__main__":
    main()
