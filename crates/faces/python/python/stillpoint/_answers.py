"""What verbs answer: the engine's JSON as a mapping, its words as ``str``, and names for what is used most."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Optional, TypeVar

from . import _errors, _native
from ._elements import Delta, Element


class Answer(Mapping[str, Any]):
    """An answer. ``answer["name"]`` is a field of it, ``print(answer)`` tells it in words."""

    def __init__(self, native: _native.Answer) -> None:
        self._native = native
        self._data: Optional[dict[str, Any]] = None

    @property
    def data(self) -> dict[str, Any]:
        """All of it, as the other faces give it with ``--json``."""
        if self._data is None:
            data: dict[str, Any] = json.loads(self._native.json())
            self._data = data
        return self._data

    @property
    def verdict(self) -> str:
        """How it went: done, no, unavailable, timeout or cancelled."""
        return self._native.verdict()

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __str__(self) -> str:
        return self._native.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self).splitlines()[0]!r}>" if str(self) else f"<{type(self).__name__}>"


class Action(Answer):
    """What an action did. It was delivered and nothing speaks against it; only ``verified`` is proof."""

    @property
    def verified(self) -> bool:
        """Whether there is evidence that it did what it should."""
        return bool(self["lifecycle_state"] == "verified")

    @property
    def settled(self) -> bool:
        """Whether the UI came to rest afterwards."""
        return bool(self["settled"])

    @property
    def action_id(self) -> str:
        """Names it in the session, as in ``a7``."""
        return str(self["action_id"])

    @property
    def element(self) -> Element | None:
        """The element that was acted on."""
        target: Optional[dict[str, Any]] = self.get("target")
        resolved = target.get("resolved") if target else None
        return Element(resolved) if resolved else None

    @property
    def revision_before(self) -> int:
        """The revision when it began."""
        return int(self["revision_before"])

    @property
    def revision_after(self) -> int:
        """The revision when it ended."""
        return int(self["revision_after"])

    @property
    def delta(self) -> Delta:
        """What changed while it was done."""
        nothing = {"base_revision": self.revision_before, "snapshot_revision": self.revision_after}
        return Delta(self.get("delta") or nothing)

    @property
    def timing(self) -> dict[str, float]:
        """How long each stage took, in milliseconds."""
        return dict(self["timing"])


class Wait(Answer):
    """How a wait ended. It is true if what was awaited came, and false if the time was over first."""

    def __bool__(self) -> bool:
        return bool(self["status"] == "success")

    @property
    def reason(self) -> str:
        """Why it ended: converged, no_change or not_stable."""
        return str(self["reason"])

    @property
    def story(self) -> str:
        """What was awaited and what was seen, in words."""
        return str(self["story"])

    @property
    def stabilized(self) -> bool:
        """Whether the UI is at rest."""
        return bool(self["stabilized"])

    @property
    def sync_mode(self) -> str:
        """How rest is known: sdk, events or heuristic."""
        return str(self["sync_mode"])

    @property
    def revision(self) -> int:
        """The revision now."""
        return int(self["snapshot_revision"])

    @property
    def elapsed_ms(self) -> int:
        """How long it took."""
        return int(self["elapsed_ms"])

    def require(self) -> Wait:
        """Itself, or the :class:`stillpoint.Timeout` that it stands for."""
        if not self:
            raise _errors.from_json(self["error"])
        return self


class Expected(Answer):
    """An expectation that came true."""

    @property
    def observed(self) -> Any:
        """What was seen."""
        return self["observed"]

    @property
    def elapsed_ms(self) -> int:
        """How long it took."""
        return int(self["elapsed_ms"])


class Found(Answer):
    """What a selector matches now."""

    @property
    def count(self) -> int:
        """How many elements match."""
        return int(self["count"])

    @property
    def elements(self) -> list[Element]:
        """The matches in document order, as many as were asked for."""
        return [Element(e) for e in self["elements"]]


class Flow(Answer):
    """How a flow went. It is true if every step passed."""

    def __bool__(self) -> bool:
        return bool(self["passed"])

    @property
    def passed(self) -> bool:
        """Whether every step passed."""
        return bool(self)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """Step by step: verb, status, elapsed_ms, error."""
        return list(self["steps"])


class Idle(Answer):
    """What the UI is doing, from what is known without asking the app. It is true if that is nothing."""

    def __bool__(self) -> bool:
        return bool(self["idle"])

    @property
    def ui_state(self) -> str:
        """idle, animating, updating or busy."""
        return str(self["ui_state"])


A = TypeVar("A", bound=Answer)


def done(answer: A, session: _native.Session) -> A:
    """The answer, or the exception for what went wrong in it."""
    error = answer._native.error()
    if error is not None:
        raise _errors.from_json(error, session)
    return answer


def in_time(wait: Wait, session: _native.Session) -> Wait:
    """The wait, or the exception for what ended it; that its time was over is an answer."""
    if not wait and wait["reason"] not in ("no_change", "not_stable"):
        return done(wait, session)
    return wait
