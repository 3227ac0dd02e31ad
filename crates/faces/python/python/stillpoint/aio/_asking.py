"""How a coroutine asks the engine: begun at once, awaited without a thread, cancelled with its task.

This file and its twin in ``_blocking`` are the only ones that are written twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Optional, TypeVar

from .. import _errors, _native
from .._params import as_json

T = TypeVar("T")


#: What is told when a call is over: its answer or its error.
_Done = Callable[[Any, Optional[str]], object]


async def _answer(begin: Callable[[_Done], _native.Call]) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def resolve(answer: Any, error: Optional[str]) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(_native.EngineError(error))

    def done(answer: Any, error: Optional[str]) -> None:
        # On a thread of the engine.
        loop.call_soon_threadsafe(resolve, answer, error)

    call = begin(done)
    try:
        return await future
    except asyncio.CancelledError:
        call.cancel()
        raise


async def ask(session: _native.Session, verb: str, params: dict[str, Any]) -> _native.Answer:
    """Does a verb."""
    told = as_json(params)
    try:
        answer: _native.Answer = await _answer(lambda done: session.ask_later(verb, told, done))
        return answer
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0], session) from None


async def is_idle(session: _native.Session) -> bool:
    """Whether the UI is at rest, as far as is known."""
    try:
        idle: bool = await _answer(session.is_idle_later)
        return idle
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0], session) from None


async def find_one(session: _native.Session, selector: Any) -> dict[str, Any]:
    """The one element that a selector means."""
    told = as_json(selector)
    try:
        found: dict[str, Any] = json.loads(await _answer(lambda done: session.find_one_later(told, done)))
        return found
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0], session) from None


async def open_session(
    target: str, settings: dict[str, str], desktop: Optional[_native.Desktop] = None
) -> _native.Session:
    """Attaches to a target."""
    try:
        begin = _native.open_later if desktop is None else desktop.open_later
        session: _native.Session = await _answer(lambda done: begin(target, settings, done))
        return session
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0]) from None


async def close_session(session: _native.Session) -> None:
    """Lets go of a target."""
    await _answer(session.close_later)


async def start_desktop(width: int, height: int, inherit_home: bool) -> _native.Desktop:
    """Starts a private desktop."""
    try:
        desktop: _native.Desktop = await _answer(
            lambda done: _native.start_desktop_later(width, height, inherit_home, done)
        )
        return desktop
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0]) from None


async def off_thread(work: Callable[[], T]) -> T:
    """Does what blocks, beside the event loop."""
    try:
        return await asyncio.get_running_loop().run_in_executor(None, work)
    except _native.EngineError as error:
        raise _errors.from_json(error.args[0]) from None
