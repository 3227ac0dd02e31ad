"""How the screens behave: the same on every toolkit, written once."""

import time

from . import screens
from .playground import Playground

PASSWORD = "secret"
TICK_MS = 100
PULSE_MS = 50
STEP_MS = 20


class Scenario:
    def __init__(self, toolkit, truth, delays, items):
        self.ui, self.truth, self.delays, self.items = toolkit, truth, delays, items
        self.page = None
        self.playground = Playground(toolkit)
        self.built = set()
        self.ticks = self.counted = 0
        self.version = 1
        self.dialog_open = False
        self.done = {}
        self.cancel = {}
        self.resting = []
        truth.ended = self.came_to_rest
        toolkit.emit = self.happened
        self.operations = {
            "signin": self.sign_in, "signout": self.sign_out, "load": self.load, "toast": self.toast,
            "dialog": self.open_dialog, "move": self.start_moving, "replace": self.replace,
            "clock-start": self.start_clock, "clock-stop": self.stop_clock,
            "pulse-start": self.start_pulse, "pulse-stop": self.stop_pulse, "save": self.save,
        }
        self.reactions = {
            "login.submit": self.sign_in, "login.password": self.sign_in, "welcome.signout": self.sign_out,
            "feed.load": self.load, "animation.count": self.count, "toast.show": self.toast,
            "dialog.open": self.open_dialog, "dialog.delete": lambda: self.tell("dialog.status", "Deleted"),
            "settings.ok": lambda: self.close_dialog("saved"),
            "settings.cancel": lambda: self.close_dialog("cancelled"),
            "clock.start": self.start_clock, "clock.stop": self.stop_clock,
            "twins.network.apply": lambda: self.tell("twins.status", "Network applied"),
            "twins.printer.apply": lambda: self.tell("twins.status", "Printer applied"),
            "form.submit": lambda: self.tell("form.status", "Submitted"),
            "checkout.order": self.order,
            "moving.start": self.start_moving,
            "moving.target": lambda: self.tell("moving.status", "Caught"),
            "replaced.refresh": self.replace,
            "replaced.target": lambda: self.tell("replaced.status", f"Opened version {self.version}"),
        }

    # Pages and events

    def show(self, page):
        if page not in screens.PAGES:
            raise ValueError(f"no page {page!r}; there are {', '.join(screens.PAGES)}")
        if page == "rows" and page not in self.built:
            # Two thousand rows weigh on every walk of the tree, so they come with their page.
            for child in screens.PAGES[page]["children"]:
                self.ui.create(child, page)
        self.built.add(page)
        self.page = page
        self.ui.show_page(page)
        self.done.clear()
        if page in ("checkout", "values", "form", "drag", "shortcut", "rows", "dialog", "twins"):
            self.reset(page)
        self.truth.event("page", page)
        (self.start_pulse if page == "animation" else self.stop_pulse)()

    def happened(self, event, identifier, detail=None):
        """A person or a tool did something; see `toolkit` for the events."""
        if event == "activated":
            self.truth.event("activated", identifier)
            if identifier.startswith("page."):
                self.show(identifier[len("page."):])
            else:
                self.reactions.get(identifier, lambda: None)()
            return
        if identifier.startswith("pg-"):
            return  # the playground's own doing
        self.truth.event(event, identifier, None if identifier == "login.password" else detail)
        if event == "changed" and identifier == "debounce.quantity":
            self.debounce()
        elif event == "moved" and identifier == "values.slider":
            self.say("values.volume", f"Volume is {round(detail)}")
        elif event == "moved" and identifier == "values.spin":
            self.say("values.amount", f"Amount is {round(detail)}")
        elif event == "chosen" and identifier == "rows.list":
            self.say("rows.status", f"Chose row {detail}")
        elif event == "dropped":
            self.tell("drag.status", f"Dropped: {detail}")
        elif event == "saved":
            self.save()
        if identifier.startswith("checkout."):
            self.follow_checkout(event, identifier)
        if identifier.startswith("form."):
            valid = "@" in self.ui.state("form.email")["text"] and self.ui.state("form.agree")["checked"]
            self.ui.set_enabled("form.submit", valid)

    def say(self, identifier, text):
        self.ui.set_name(identifier, text)

    def tell(self, identifier, text):
        """Says what was done, and how often since the page was shown: whoever acts twice can see it."""
        self.done[text] = self.done.get(text, 0) + 1
        times = self.done[text]
        self.say(identifier, text if times == 1 else f"{text}, {times} times")

    def reset(self, page):
        """Gives a page's controls and texts back what they began with."""
        for spec in screens.PAGES[page]["children"]:
            identifier = spec["id"]
            if spec["kind"] == "entry":
                self.ui.set_text(identifier, "")
            elif spec["kind"] == "check":
                self.ui.set_checked(identifier, False)
            elif spec["kind"] in ("slider", "spin"):
                self.ui.set_value(identifier, 0)
            elif spec["kind"] == "label":
                self.say(identifier, spec["name"])
            elif spec["kind"] == "rows":
                self.ui.unselect(identifier)
        self.abandon("total")

    # Operations that take time

    def after(self, name, action):
        """Runs `action` after the operation's next delay and keeps the log; an operation that is begun
        again before its end starts over."""
        self.abandon(name)
        delay = self.delays.next(name)
        operation = self.truth.begin(name, delay)

        def finish():
            del self.cancel[name]
            result = action()
            self.truth.end(operation, result)

        cancel = self.ui.later(delay, finish)
        self.cancel[name] = lambda: (cancel(), self.truth.end(operation, "superseded"))

    def abandon(self, name):
        if name in self.cancel:
            self.cancel.pop(name)()

    def rest(self, action):
        """Runs `action` once no operation is under way and the main loop is idle."""
        self.resting.append(action)
        self.came_to_rest()

    def came_to_rest(self):
        def look():
            if not self.truth.pending():
                waiting, self.resting = self.resting, []
                for action in waiting:
                    action()

        if self.resting and not self.truth.pending():
            self.ui.when_idle(look)

    def sign_in(self):
        name = self.ui.state("login.username")["text"]
        self.ui.set_visible("login.error", False)
        self.ui.set_visible("login.spinner", True)
        self.ui.set_enabled("login.submit", False)

        def answer():
            self.ui.set_visible("login.spinner", False)
            self.ui.set_enabled("login.submit", True)
            # The one place that reads the password's content; it goes nowhere.
            if name and self.ui.secret("login.password") == PASSWORD:
                self.say("welcome.greeting", f"Welcome, {name}")
                self.show("welcome")
                return "welcome"
            self.ui.set_visible("login.error", True)
            return "refused"

        self.after("signin", answer)

    def sign_out(self):
        for identifier in ("login.username", "login.password"):
            self.ui.set_text(identifier, "")
        self.show("login")

    def load(self):
        self.abandon("load")
        for child in list(self.ui.specs["feed.items"]["children"]):
            self.ui.remove(child["id"])
        self.ui.specs["feed.items"]["children"].clear()
        self.say("feed.status", "Loading")
        self.load_item(1)

    def load_item(self, number):
        def arrive():
            item = screens.widget("item", f"feed.item.{number}", f"Item {number}")
            self.ui.specs["feed.items"]["children"].append(item)
            self.ui.create(item, "feed.items")
            if number < self.items:
                self.load_item(number + 1)
            else:
                self.say("feed.status", f"Loaded {self.items} items")

        self.after("load", arrive)

    def debounce(self):
        def update():
            text = self.ui.state("debounce.quantity")["text"].strip()
            self.say("debounce.total", f"Total: {int(text) * 7}" if text.isdecimal() else "Total: 0")

        self.after("debounce", update)

    def follow_checkout(self, event, identifier):
        if identifier == "checkout.quantity":
            def update():
                self.say("checkout.total", f"Total: {round(self.ui.state('checkout.quantity')['value']) * 7}")

            self.after("total", update)
        valid = (
            "order" not in self.cancel
            and "@" in self.ui.state("checkout.email")["text"]
            and self.ui.state("checkout.terms")["checked"]
            and self.ui.state("checkout.quantity")["value"] > 0
        )
        self.ui.set_enabled("checkout.order", valid)

    def order(self):
        quantity, email = round(self.ui.state("checkout.quantity")["value"]), self.ui.state("checkout.email")["text"]
        self.ui.set_enabled("checkout.order", False)
        self.ui.set_visible("checkout.spinner", True)

        def placed():
            self.ui.set_visible("checkout.spinner", False)
            self.tell("checkout.status", f"Ordered {quantity} for {email}")

        self.after("order", placed)

    def toast(self):
        self.ui.set_visible("toast.message", True)
        self.after("toast", lambda: self.ui.set_visible("toast.message", False))

    def start_moving(self):
        self.abandon("move")
        operation = self.truth.begin("move", self.delays.next("move"))
        until = operation["start"] + operation["delay_ms"] * 1_000_000
        self.say("moving.status", "Moving")
        self.step(operation, until, 0)

    def step(self, operation, until, count):
        def go():
            self.ui.place("moving.target", (count * 12) % 320, 10 + (count * 5) % 90)
            if time.monotonic_ns() < until:
                self.step(operation, until, count + 1)
                return
            del self.cancel["move"]
            if self.ui.state("moving.status")["name"] == "Moving":
                self.say("moving.status", "At rest")
            self.truth.end(operation)

        cancel = self.ui.later(STEP_MS, go)
        self.cancel["move"] = lambda: (cancel(), self.truth.end(operation, "superseded"))

    def replace(self):
        def swap():
            spec = self.ui.specs["replaced.target"]
            self.ui.remove("replaced.target")
            self.version += 1
            self.ui.create(spec, "replaced.place")
            self.say("replaced.status", f"Version {self.version}")

        self.after("replace", swap)

    # Things that happen at once, or for ever

    def count(self):
        self.counted += 1
        self.say("animation.counted", f"Counted: {self.counted}")

    def save(self):
        self.tell("shortcut.status", "Saved")

    def open_dialog(self):
        if not self.dialog_open:
            self.dialog_open = True
            self.ui.open_dialog(screens.DIALOG)

    def close_dialog(self, outcome):
        if self.dialog_open:
            notify = self.ui.state("settings.notify")["checked"]
            self.dialog_open = False
            self.ui.close_dialog(screens.DIALOG)
            self.say("dialog.status", f"Settings {outcome}, notifications {'on' if notify else 'off'}")

    def repeat(self, name, interval, action):
        def again():
            action()
            self.cancel[name] = self.ui.later(interval, again)

        self.abandon(name)
        self.cancel[name] = self.ui.later(interval, again)

    def start_clock(self):
        def tick():
            self.ticks += 1
            self.say("clock.time", f"Tick {self.ticks}")

        self.repeat("clock", TICK_MS, tick)

    def stop_clock(self):
        self.abandon("clock")

    def start_pulse(self):
        self.repeat("pulse", PULSE_MS, lambda: self.ui.pulse("animation.bar"))

    def stop_pulse(self):
        self.abandon("pulse")

    # What the app believes

    def report(self):
        names = [name for name in self.ui.specs if not name.startswith(("playground", "pg-", "page."))]
        return {
            **self.truth.report(),
            "toolkit": self.ui.name,
            "page": self.page,
            "dialog_open": self.dialog_open,
            "values": {name: self.ui.state(name) for name in names},
            "playground": self.playground.report(),
        }
