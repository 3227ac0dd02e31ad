"""One way to drive a desktop app: this file is started once for each (`desktop_tools.py TOOL [STILLPOINT]`), reads one JSON command
per line and answers each with one line. Every tool acts, waits as its own documentation says, and reads what is on the
screen. `expect` is the text that a test's author waits for, or null when the tool is to know by itself; `gone` is a text that the
author then waits to see go, or null.

{"attach": PID}                           → {"ok": true}
{"do": "tap"|"type", "n": N, "expect": …, "gone": …} → {"text": …, "began": NANOSECONDS, "at": NANOSECONDS} | {"error": …} | {"cannot": …}
{"time": "first"|"again"|"find"|"never", "label": …, "seconds": N} → {"ms": …, "told": …}: how long that takes, and of `first` how many elements were read (or of those that fill the app); `find` looks for a label, `never` waits so long
  for what does not come
"""

import json
import os
import sys
import time

from gi.repository import GLib

LONGEST_S = 10
# What is given to a task that is timed.
GIVEN = {"find": "label", "never": "seconds"}


class Cannot(Exception):
    """The tool has no such thing."""


class Stillpoint:
    """Through its MCP server, which keeps the session open. One call acts, waits and says whether the app is at rest."""

    def __init__(self, program):
        from mcp_stdio import McpClient, Refused
        self.mcp, self.Refused = McpClient(program, "mcp"), Refused

    def attach(self, pid):
        self.app = f"app:pid={pid}"
        self.mcp.call("open_target", app=self.app)

    def do(self, kind, n, expect, gone):
        more = {"expect": json.dumps(expect, ensure_ascii=False)} if expect else {}
        if kind == "tap":
            _, told = self.mcp.call("tap", app=self.app, selector='button "Go"', **more)
        else:
            _, told = self.mcp.call("type_text", app=self.app, selector='textbox "Input"', text=str(n), replace=True, **more)
        if not told.get("settled"):
            self.mcp.call("wait_for_idle", app=self.app, timeout_ms=LONGEST_S * 1000)
        if gone:
            self.mcp.call("wait_for_ui", app=self.app, selector=json.dumps(gone, ensure_ascii=False), condition="gone", timeout_ms=LONGEST_S * 1000)
        return self.mcp.call("snapshot", app=self.app)[0]

    def first(self):
        self.mcp.call("close_target", app=self.app)
        return timed(lambda: (self.mcp.call("open_target", app=self.app), self.whole())[1])

    def whole(self):
        """How many of the labels that fill the app were told."""
        text, told = self.mcp.call("snapshot", app=self.app, max_nodes=50000)
        self.seen = told["snapshot_revision"]
        return text.count('"Filler ')

    def again(self):
        # Whoever has read before asks what is new.
        return timed(lambda: self.mcp.call("snapshot", app=self.app, since=self.seen)[0])

    def find(self, label):
        return timed(lambda: self.mcp.call("find_element", app=self.app, selector=f'label "{label}"')[0])

    def never(self, seconds):
        def wait():
            try:
                self.mcp.call("wait_for_ui", app=self.app, selector='"Never"', timeout_ms=seconds * 1000)
            except self.Refused:
                pass
        return timed(wait)


class Pyatspi:
    """Listens to events with the registry's own loop, and looks at each whether the text is there."""

    def __init__(self):
        import pyatspi
        self.pyatspi = pyatspi
        self.is_met = self.root = None
        for event in ("object:property-change:accessible-name", "object:text-changed", "object:children-changed", "object:state-changed:showing"):
            pyatspi.Registry.registerEventListener(self.heard, event)

    def attach(self, pid):
        desktop = self.pyatspi.Registry.getDesktop(0)
        self.root = next(app for app in desktop if app is not None and app.get_process_id() == pid)

    def showing(self):
        stack = [self.root]
        while stack:
            node = stack.pop()
            yield node
            # What vanishes while it is looked at is not there.
            try:
                children = [child for child in node if child is not None and child.getState().contains(self.pyatspi.STATE_SHOWING)]
            except GLib.GError:
                continue
            stack.extend(reversed(children))

    def named(self, role, name):
        return next(node for node in self.showing() if node.getRole() == role and node.name == name)

    def heard(self, event):
        if event.host_application == self.root and self.is_met and self.is_met():
            self.is_met = None
            self.pyatspi.Registry.stop()

    def is_showing(self, text):
        return any(node.name == text for node in self.showing())

    def wait_until(self, is_met, what):
        if is_met():
            return
        self.is_met = is_met
        timer = GLib.timeout_add_seconds(LONGEST_S, self.give_up)
        self.pyatspi.Registry.start()
        if self.is_met is not None:
            self.is_met = None
            raise TimeoutError(f"{what} in vain")
        GLib.source_remove(timer)

    def do(self, kind, n, expect, gone):
        if expect is None:
            raise Cannot("it has no way to know that an app is at rest")
        if kind == "tap":
            self.named(self.pyatspi.ROLE_PUSH_BUTTON, "Go").queryAction().doAction(0)
        else:
            self.named(self.pyatspi.ROLE_TEXT, "Input").queryEditableText().setTextContents(str(n))
        self.wait_until(lambda: self.is_showing(expect), f"waited for {expect}")
        if gone:
            self.wait_until(lambda: not self.is_showing(gone), f"waited for {gone} to go")
        return "\n".join(node.name for node in self.showing())

    def give_up(self):
        self.pyatspi.Registry.stop()
        return False

    def first(self):
        self.root.clear_cache()
        return self.again()

    def again(self):
        def walk():
            stack, seen = [self.root], 0
            while stack:
                node = stack.pop()
                node.getRole(), node.name, node.getState().getStates()
                seen += 1
                stack.extend(child for child in node if child is not None)
            return seen
        return timed(walk)

    def find(self, label):
        def is_it(node):
            return node.name == label and node.getRole() == self.pyatspi.ROLE_LABEL
        return timed(lambda: self.pyatspi.findDescendant(self.root, is_it).name)

    def never(self, seconds):
        self.is_met = lambda: self.is_showing("Never")
        GLib.timeout_add_seconds(seconds, self.give_up)
        told = timed(self.pyatspi.Registry.start)
        self.is_met = None
        return told


class Dogtail:
    """Actions with its own delay behind them, searches with its own backing off."""

    def __init__(self):
        from dogtail.config import config
        config.check_for_a11y = False
        from dogtail import tree
        self.config, self.tree = config, tree

    def attach(self, pid):
        self.root = next(app for app in self.tree.root.applications() if app.get_process_id() == pid)

    def do(self, kind, n, expect, gone):
        if kind == "tap":
            self.root.child(name="Go", role_name="push button").do_action_named("click")
        else:
            self.root.child(name="Input", role_name="text").text = str(n)
        if expect:
            self.root.child(name=expect, showing_only=True)
        if gone:
            # It has searches that go on until something is there, none that go on until it is not.
            until = time.monotonic() + LONGEST_S
            while self.root.is_child(name=gone, showing_only=True, retry=False) and time.monotonic() < until:
                time.sleep(self.config.search_back_off_delay)
        return "\n".join(node.name for node in self.root.find_children(lambda node: node.showing))

    def first(self):
        return self.again()

    def again(self):
        return timed(lambda: len(self.root.find_children(lambda node: bool(node.role_name) and node.name is not None and node.get_state_set() is not None)))

    def find(self, label):
        return timed(lambda: self.root.child(name=label, role_name="label").name)

    def never(self, seconds):
        usual = self.config.search_cut_off_limit
        self.config.search_cut_off_limit = int(seconds / self.config.search_back_off_delay)
        try:
            return timed(lambda: self.root.is_child(name="Never"))
        finally:
            self.config.search_cut_off_limit = usual


class Xa11y:
    """Locators that look again until what they name is there."""

    def __init__(self):
        import xa11y
        self.xa11y = xa11y
        xa11y.set_default_timeout(LONGEST_S)

    def attach(self, pid):
        self.app = self.xa11y.App.by_pid(pid)

    def do(self, kind, n, expect, gone):
        if expect is None:
            raise Cannot("it has no way to know that an app is at rest")
        if kind == "tap":
            self.app.locator("button[name='Go']").press()
        else:
            self.app.locator("text_field[name='Input']").set_value(str(n))
        self.app.locator(f"[name='{expect}']").wait_visible()
        if gone:
            self.app.locator(f"[name='{gone}']").wait_detached()
        return "\n".join(node.name or "" for node in self.app.locator("*").elements() if node.visible)

    def first(self):
        return timed(lambda: str(self.xa11y.App.by_pid(self.app.pid).tree()).count("Filler "))

    def again(self):
        return timed(lambda: len(str(self.app.tree())))

    def find(self, label):
        return timed(lambda: self.app.locator(f"static_text[name='{label}']").element().name)

    def never(self, seconds):
        def wait():
            try:
                self.app.locator("[name='Never']").wait_visible(timeout=seconds)
            except self.xa11y.TimeoutError:
                pass
        return timed(wait)


def timed(work):
    began = time.perf_counter()
    told = work()
    return (time.perf_counter() - began) * 1000, told


def driver(name, arguments):
    return {"stillpoint": Stillpoint, "pyatspi": Pyatspi, "dogtail": Dogtail, "xa11y": Xa11y}[name](*arguments)


def main():
    told = os.fdopen(os.dup(1), "w")
    # Whatever a library prints is not an answer.
    os.dup2(2, 1)
    tool = driver(sys.argv[1], sys.argv[2:])
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if "attach" in command:
                tool.attach(command["attach"])
                answer = {"ok": True}
            elif "time" in command:
                given = [command[GIVEN[command["time"]]]] if command["time"] in GIVEN else []
                milliseconds, seen = getattr(tool, command["time"])(*given)
                answer = {"ms": milliseconds, "told": seen if isinstance(seen, int) else str(seen)[:100]}
            else:
                began = time.monotonic_ns()
                text = tool.do(command["do"], command["n"], command["expect"], command["gone"])
                answer = {"text": text, "began": began, "at": time.monotonic_ns()}
        except Cannot as reason:
            answer = {"cannot": str(reason)}
        except Exception as problem:  # counted as a miss, with its words
            answer = {"error": f"{type(problem).__name__}: {problem}", "at": time.monotonic_ns()}
        told.write(json.dumps(answer) + "\n")
        told.flush()


if __name__ == "__main__":
    main()
