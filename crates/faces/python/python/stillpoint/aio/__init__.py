"""Stillpoint for asyncio: the same as the package itself, with ``await``.

A task that is cancelled cancels its call. Hundreds of waits at once need no threads.

>>> import asyncio
>>> from stillpoint import aio
>>> async def main():
...     async with await aio.connect("sim:clock") as app:
...         return bool(await app.wait_for_idle(timeout_ms=5000))
>>> asyncio.run(main())
True
"""

from ._app import App, Change
from ._connect import app, connect, desktop, web
from ._desktop import Desktop, Program
from ._expect import Expect, expect
from ._locator import Locator

__all__ = [
    "App",
    "Change",
    "Desktop",
    "Expect",
    "Locator",
    "Program",
    "app",
    "connect",
    "desktop",
    "expect",
    "web",
]
