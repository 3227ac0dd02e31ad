# Written by tools/make_blocking.py from aio/_calls.py; do not edit.
"""Verbs with what they answer: an action that failed is an exception, a wait that ran out is an answer."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._answers import Action, Answer, Expected, Flow, Wait, done, in_time
from ._asking import ask


def act(session: _native.Session, verb: str, params: dict[str, Any]) -> Action:
    """Does an action."""
    return done(Action(ask(session, verb, params)), session)


def wait(session: _native.Session, verb: str, params: dict[str, Any]) -> Wait:
    """Waits; the answer says whether it came."""
    return in_time(Wait(ask(session, verb, params)), session)


def insist(session: _native.Session, verb: str, params: dict[str, Any]) -> Wait:
    """Waits for what must come."""
    return done(Wait(ask(session, verb, params)), session)


def verify(session: _native.Session, verb: str, params: dict[str, Any]) -> Expected:
    """Expects something."""
    return done(Expected(ask(session, verb, params)), session)


def look(session: _native.Session, verb: str, params: dict[str, Any]) -> Answer:
    """Reads something."""
    return done(Answer(ask(session, verb, params)), session)


def play(session: _native.Session, params: dict[str, Any]) -> Flow:
    """Plays a flow; how it went is its answer."""
    return Flow(ask(session, "run_flow", params))
