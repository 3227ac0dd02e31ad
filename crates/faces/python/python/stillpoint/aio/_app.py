"""An attached app."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Optional, Union, overload

from .. import _errors, _live, _native
from .._answers import Answer, Flow, Found, Idle, Wait
from .._elements import Delta, Snapshot
from .._picture import Screenshot
from .._targets import Selector, element_fields, selector_of
from ._asking import ask, close_session, is_idle
from ._calls import insist, play
from ._locator import Locator
from ._verbs import AppVerbs

#: A verb and its parameters.
_Step = Mapping[str, Any]


class App(AppVerbs):
    """An app that is attached to: find elements, act, wait, look. Every verb of the engine is a method.

    >>> from stillpoint import aio
    >>> app = await aio.connect("sim:login")
    >>> await app.find("#username").type("ada")
    <Action 'type_text #username: verified, rev ... → ...'>
    >>> await app.find("#password").type("engine")
    <Action ...>
    >>> done = await app.find('button "Sign in"').tap(expect='heading "Welcome, ada"')
    >>> done.verified
    True
    >>> await app.find("#banner").text
    '3 orders are open'
    >>> await app.close()
    """

    def __init__(self, session: _native.Session) -> None:
        self._session = session
        _live.apps.add(self)

    @property
    def target(self) -> str:
        """The URI that it was opened with."""
        return self._session.target

    @property
    def info(self) -> dict[str, Any]:
        """Whom it is attached to: name, pid, toolkit, windows."""
        return dict(json.loads(self._session.info))

    @property
    def capabilities(self) -> dict[str, bool]:
        """What its backend can do."""
        return dict(json.loads(self._session.capabilities))

    @property
    def revision(self) -> int:
        """The revision now."""
        return self._session.revision

    @property
    def closed(self) -> bool:
        """Whether it is gone or was let go."""
        return self._session.ended() is not None

    @property
    def sync_mode(self) -> str:
        """How rest is known: sdk, events or heuristic. Set it to ask for one, or for ``auto``."""
        return self._session.sync_mode()[0]

    @sync_mode.setter
    def sync_mode(self, mode: str) -> None:
        try:
            self._session.set_sync_mode(mode)
        except _native.EngineError as error:
            raise _errors.from_json(error.args[0]) from None

    @property
    def sync_reason(self) -> Optional[str]:
        """Why rest is not known better."""
        return self._session.sync_mode()[1]

    def find(
        self,
        selector: Optional[Selector] = None,
        *,
        role: Optional[str] = None,
        label: Optional[str] = None,
        text: Optional[str] = None,
        contains: Optional[str] = None,
        resource_id: Optional[str] = None,
        index: Optional[int] = None,
    ) -> Locator:
        """What finds an element when it is needed; nothing is looked for yet."""
        if selector is not None:
            return Locator(self, selector_of(selector))
        return Locator(self, element_fields(role, label, text, contains, resource_id, index))

    async def ask(self, verb: str, **params: Any) -> Answer:
        """Does any verb by its name. What went wrong in an action or a wait is told in the answer, not raised."""
        return Answer(await ask(self._session, verb, params))

    async def find_element(self, selector: Selector, *, limit: int = 20, fingerprint: bool = False) -> Found:
        """The elements that a selector means, with the step that found them and how sure that is."""
        params = {"selector": selector, "limit": limit, "fingerprint": fingerprint}
        return Found(await ask(self._session, "find_element", params))

    async def is_idle(self) -> bool:
        """Whether the UI is at rest, from what is known already. A glance, not a proof: see ``wait_for_idle``."""
        return await is_idle(self._session)

    async def idle(self) -> Idle:
        """What the UI is doing, from what is known already."""
        return Idle(await ask(self._session, "is_idle", {}))

    @overload
    async def snapshot(
        self, *, since: None = None, max_nodes: Optional[int] = None, max_depth: Optional[int] = None,
        under: Optional[Selector] = None,
    ) -> Snapshot: ...
    @overload
    async def snapshot(
        self, *, since: int, max_nodes: Optional[int] = None, max_depth: Optional[int] = None,
        under: Optional[Selector] = None,
    ) -> Union[Snapshot, Delta]: ...
    async def snapshot(
        self,
        *,
        since: Optional[int] = None,
        max_nodes: Optional[int] = None,
        max_depth: Optional[int] = None,
        under: Optional[Selector] = None,
    ) -> Union[Snapshot, Delta]:
        """What is on the screen; with ``since``, what changed after that revision, where that is shorter.

        >>> from stillpoint import aio
        >>> app = await aio.connect("sim:two_buttons")
        >>> before = await app.snapshot()
        >>> len(before) > 2 and before.revision >= 1
        True
        >>> await app.snapshot(since=before.revision)
        <Delta ...>
        >>> await app.close()
        """
        params = {"since": since, "max_nodes": max_nodes, "max_depth": max_depth, "under": under}
        given = {name: value for name, value in params.items() if value is not None}
        answer = await ask(self._session, "snapshot", given)
        data: dict[str, Any] = json.loads(answer.json())
        if data.pop("kind") == "full":
            return Snapshot(data, answer)
        return Delta(data, answer)

    async def screenshot(self, selector: Optional[Selector] = None) -> Screenshot:
        """A picture of the app, or of one element."""
        params = {} if selector is None else {"selector": selector}
        answer = await ask(self._session, "screenshot", params)
        return Screenshot(answer.picture() or b"")

    async def run_flow(self, steps: Iterable[_Step]) -> Flow:
        """Does 1 to 50 steps in one call, and stops at the first that fails. How it went is the answer.

        >>> from stillpoint import aio
        >>> app = await aio.connect("sim:login")
        >>> flow = await app.run_flow([
        ...     {"verb": "type_text", "selector": "#username", "text": "ada"},
        ...     {"verb": "type_text", "selector": "#password", "text": "engine"},
        ...     {"verb": "tap", "selector": "#signin", "expect": "#welcome"},
        ... ])
        >>> flow.passed
        True
        >>> await app.close()
        """
        return await play(self._session, {"steps": [dict(step) for step in steps]})

    def expect_change(self, **params: Any) -> ChangeExpected:
        """What is done inside must change the UI: ``async with app.expect_change() as change: …``.

        It takes what ``wait_for_ui_change`` takes. Afterwards ``change.delta`` tells what changed.

        >>> from stillpoint import aio
        >>> app = await aio.connect("sim:toast")
        >>> async with app.expect_change(timeout_ms=2000) as change:
        ...     _ = await app.find('button "Save"').tap()
        >>> change.wait.stabilized
        True
        >>> await app.close()
        """
        return ChangeExpected(self, params)

    async def changes(self, *, timeout_ms: int = 10000, stability_window_ms: int = 300) -> AsyncIterator[Delta]:
        """Each change, once the UI is at rest after it. It ends when none comes for ``timeout_ms``."""
        seen = self.revision
        while True:
            wait = await self.wait_for_ui_change(
                since_revision=seen, timeout_ms=timeout_ms, stability_window_ms=stability_window_ms
            )
            if not wait["change_detected"]:
                return
            found = await self.snapshot(since=seen)
            seen = found.revision
            if isinstance(found, Delta):
                yield found

    def story(self, last: int = 40) -> str:
        """What happened lately, in words."""
        return self._session.story(last)

    def trace(self) -> list[dict[str, Any]]:
        """What happened lately, entry by entry."""
        return [json.loads(line) for line in self._session.trace().splitlines()]

    def record_to(self, path: str) -> None:
        """Writes what happened, and everything from now on, to a file that ``stillpoint trace`` reads."""
        try:
            self._session.record_to(path)
        except _native.EngineError as error:
            raise _errors.from_json(error.args[0]) from None

    async def close(self) -> None:
        """Lets go of the app. What was started for it, such as a browser, ends. Twice is fine."""
        await close_session(self._session)

    async def __aenter__(self) -> App:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<App {self.target}>"


class ChangeExpected:
    """A block that must change the UI; see :meth:`App.expect_change`."""

    def __init__(self, app: App, params: dict[str, Any]) -> None:
        self._app = app
        self._params = params
        self._change = Change()

    async def __aenter__(self) -> Change:
        self._params.setdefault("since_revision", self._app.revision)
        return self._change

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if error is not None:
            return
        change = self._change
        change._wait = await insist(self._app._session, "wait_for_ui_change", self._params)
        found = await self._app.snapshot(since=self._params["since_revision"])
        change._told = found


class Change:
    """What a block changed; known once the block is over."""

    def __init__(self) -> None:
        self._wait: Optional[Wait] = None
        self._told: Optional[Union[Delta, Snapshot]] = None

    @property
    def wait(self) -> Wait:
        """How the wait for it ended."""
        if self._wait is None:
            raise _errors.InvalidArgument("the change is known after the block", hint="look at it below the with")
        return self._wait

    @property
    def delta(self) -> Optional[Delta]:
        """What changed; ``None`` where that is so much that the whole ``snapshot`` is shorter."""
        return self._told if isinstance(self._told, Delta) else None

    @property
    def snapshot(self) -> Optional[Snapshot]:
        """The whole screen, where that is shorter than what changed."""
        return self._told if isinstance(self._told, Snapshot) else None

    def __str__(self) -> str:
        return str(self._told) if self._told is not None else "not known yet"
