"""How a thread asks the engine: it waits without the interpreter's lock, and Ctrl-C ends the wait.

This file and its twin in ``aio`` are the only ones that are written twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Optional, TypeVar

from .. import _errors, _native
from .._params import as_json

T = TypeVar("T")


def ask(session: _native.Session, verb: str, params: dict[str, Any]) -> _native.Answer:
    """Does a verb."""
    try:
        return session.ask(verb, as_json(params))
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0], session) from None


def is_idle(session: _native.Session) -> bool:
    """Whether the UI is at rest, as far as is known."""
    try:
        return session.is_idle()
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0], session) from None


def find_one(session: _native.Session, selector: Any) -> dict[str, Any]:
    """The one element that a selector means."""
    try:
        found: dict[str, Any] = json.loads(session.find_one(as_json(selector)))
        return found
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0], session) from None


def open_session(target: str, settings: dict[str, str], desktop: Optional[_native.Desktop] = None) -> _native.Session:
    """Attaches to a target."""
    try:
        if desktop is not None:
            return desktop.open(target, settings)
        return _native.open(target, settings)
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0]) from None


def close_session(session: _native.Session) -> None:
    """Lets go of a target."""
    session.close()


def start_desktop(width: int, height: int, inherit_home: bool) -> _native.Desktop:
    """Starts a private desktop."""
    try:
        return _native.start_desktop(width, height, inherit_home)
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0]) from None


def off_thread(work: Callable[[], T]) -> T:
    """Does what blocks."""
    try:
        return work()
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0]) from None
