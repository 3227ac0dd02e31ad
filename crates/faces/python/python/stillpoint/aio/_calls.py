"""Verbs with what they answer: an action that failed is an exception, a wait that ran out is an answer."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._answers import Action, Answer, Expected, Flow, Wait, done, in_time
from ._asking import ask


async def act(session: _native.Session, verb: str, params: dict[str, Any]) -> Action:
    """Does an action."""
    return done(Action(await ask(session, verb, params)), session)


async def wait(session: _native.Session, verb: str, params: dict[str, Any]) -> Wait:
    """Waits; the answer says whether it came."""
    return in_time(Wait(await ask(session, verb, params)), session)


async def insist(session: _native.Session, verb: str, params: dict[str, Any]) -> Wait:
    """Waits for what must come."""
    return done(Wait(await ask(session, verb, params)), session)


async def verify(session: _native.Session, verb: str, params: dict[str, Any]) -> Expected:
    """Expects something."""
    return done(Expected(await ask(session, verb, params)), session)


async def look(session: _native.Session, verb: str, params: dict[str, Any]) -> Answer:
    """Reads something."""
    return done(Answer(await ask(session, verb, params)), session)


async def play(session: _native.Session, params: dict[str, Any]) -> Flow:
    """Plays a flow; how it went is its answer."""
    return Flow(await ask(session, "run_flow", params))
