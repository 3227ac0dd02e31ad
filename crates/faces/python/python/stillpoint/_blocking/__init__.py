# Written by tools/make_blocking.py from aio/__init__.py; do not edit.
"""The blocking half of the package: what ``stillpoint`` exports."""

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
