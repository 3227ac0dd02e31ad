"""What the app itself knows: which operations ran and when, and what was activated how often."""

import collections
import time

from .idle import Silent

KEPT = 2000


class Truth:
    """All times are CLOCK_MONOTONIC in nanoseconds, the clock that a test on the same machine reads too."""

    def __init__(self, when_free):
        """`when_free(action)` calls `action` once the main loop has nothing more urgent to do."""
        self.when_free = when_free
        # Called after the end of each operation.
        self.ended = lambda: None
        self.operations = collections.deque(maxlen=KEPT)
        self.events = collections.deque(maxlen=KEPT)
        self.counts = collections.Counter()
        self.waiting = []
        self.idle = Silent()
        self.guards = {}

    def event(self, kind, identifier, detail=None):
        self.events.append({"kind": kind, "id": identifier, "detail": detail, "at": time.monotonic_ns()})
        self.counts[kind, identifier] += 1
        waiting, self.waiting = self.waiting, []
        for wish in waiting:
            self.when(*wish)

    def when(self, kind, identifier, count, action):
        """Calls `action` once the event has happened `count` times in all."""
        if self.counts[kind, identifier] >= count:
            action()
        else:
            self.waiting.append((kind, identifier, count, action))

    def begin(self, name, delay_ms=None):
        """Notes that an operation began; hand the result to `end`."""
        operation = {"op": name, "delay_ms": delay_ms, "start": time.monotonic_ns(), "done": None, "end": None}
        self.operations.append(operation)
        self.guards[id(operation)] = (self.idle, self.idle.begin(name))
        return operation

    def end(self, operation, result=None):
        """Its work is done. It ends, and its guard with it, when the layout and the drawing that it asked for are over too:
        when the loop is free."""
        operation["done"] = time.monotonic_ns()
        if result is not None:
            operation["result"] = result
        guard = self.guards.pop(id(operation))

        def over():
            operation["end"] = time.monotonic_ns()
            # After the time was taken: a guard lasts for at least as long as its operation.
            idle, ticket = guard
            idle.end(ticket)
            self.ended()

        self.when_free(over)

    def speak(self, idle):
        """From now on operations are reported with `idle`; those under way end where they began."""
        self.idle = idle

    def pending(self):
        return [operation["op"] for operation in self.operations if operation["end"] is None]

    def report(self):
        return {
            "now": time.monotonic_ns(),
            "activations": {name: count for (kind, name), count in self.counts.items() if kind == "activated"},
            "pending": self.pending(),
            "log": list(self.operations),
            "events": list(self.events),
        }
