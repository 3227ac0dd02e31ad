"""Private desktops: programs run on them, and nothing touches the user's screen."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Optional

from .. import _native
from .._picture import Screenshot
from .._targets import app_uri, settings_of
from ._app import App
from ._asking import off_thread, open_session, start_desktop

#: How long a program may take to end before it is killed.
_FAREWELL = 5.0


class Desktop:
    """A private headless desktop: own display, buses, accessibility and home. Everything on it ends with it.

    ``async with aio.desktop() as desktop:`` starts one and ends it.
    """

    def __init__(self, width: int = 1280, height: int = 800, inherit_home: bool = False) -> None:
        self._wish = (width, height, inherit_home)
        self._native: Optional[_native.Desktop] = None

    async def start(self) -> Desktop:
        """Starts it, and returns once all of it is proven ready."""
        if self._native is None:
            self._native = await start_desktop(*self._wish)
        return self

    @property
    def _running(self) -> _native.Desktop:
        if self._native is None:
            raise RuntimeError("the desktop has not been started: use it in a with statement, or call start()")
        return self._native

    @property
    def display(self) -> str:
        """Its display, as in ``:99``."""
        return self._running.display

    def env(self, extra: Optional[Mapping[str, str]] = None) -> dict[str, str]:
        """The whole environment for a program that shall run on it, for ``subprocess``."""
        hidden = set(self._running.env_removed())
        env = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**env, **self._running.env(), **(extra or {})}

    def run(self, command: Sequence[str], *, env: Optional[Mapping[str, str]] = None, **popen: Any) -> Program:
        """Starts a program on it. Take it as a context manager, and the program ends with the block."""
        started: subprocess.Popen[Any] = subprocess.Popen(
            list(command), env=self.env(env), start_new_session=True, **popen
        )
        return Program(self, started)

    async def app(
        self, name: Optional[str] = None, *, pid: Optional[int] = None, bundle_id: Optional[str] = None, **settings: Any
    ) -> App:
        """Attaches to an app that runs on it."""
        target = app_uri(name, pid, bundle_id)
        return App(await open_session(target, settings_of(settings), self._running))

    async def screenshot(self) -> Screenshot:
        """The whole screen."""
        return Screenshot(await off_thread(self._running.screenshot))

    async def close(self) -> None:
        """Ends it and everything that runs on it. Twice is fine."""
        if self._native is not None:
            await off_thread(self._native.close)

    async def __aenter__(self) -> Desktop:
        return await self.start()

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Desktop {self.display}>" if self._native is not None else "<Desktop, not started>"


class Program:
    """A program that runs on a desktop, in a process group of its own."""

    desktop: Desktop
    process: subprocess.Popen[Any]

    def __init__(self, desktop: Desktop, process: subprocess.Popen[Any]) -> None:
        self.desktop = desktop
        self.process = process

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    async def app(self, **settings: Any) -> App:
        """Attaches to it; waits until it has come to the accessibility bus."""
        return await self.desktop.app(pid=self.pid, **settings)

    async def end(self) -> int:
        """Ends it with all that it started, and gives its exit code. Twice is fine."""
        return await off_thread(self._end)

    def _end(self) -> int:
        if self.process.poll() is None:
            # Not reaped yet, so the group's number is still its own.
            os.killpg(self.pid, signal.SIGTERM)
            try:
                self.process.wait(_FAREWELL)
            except subprocess.TimeoutExpired:
                os.killpg(self.pid, signal.SIGKILL)
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code

    async def __aenter__(self) -> Program:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.end()

    def __repr__(self) -> str:
        return f"<Program {self.pid} on {self.desktop!r}>"
