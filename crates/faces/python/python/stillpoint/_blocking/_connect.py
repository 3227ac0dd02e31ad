# Written by tools/make_blocking.py from aio/_connect.py; do not edit.
"""The ways to an app."""

from __future__ import annotations

from typing import Any, Optional

from .._targets import app_uri, settings_of, web_uri
from ._app import App
from ._asking import open_session
from ._desktop import Desktop


def connect(uri: str, **settings: Any) -> App:
    """Attaches to any target: ``sim:login``, ``app:gedit``, ``app:pid=4242``, ``web:https://…``, ``cdp:9222``,
    ``agent:HOST:PORT``. Settings are those of its backend, and ``sync`` and ``trace`` of every one.

    >>> import stillpoint as sp
    >>> with sp.connect("sim:two_buttons") as app:
    ...     app.find('button "Apply"').count()
    2
    """
    return App(open_session(uri, settings_of(settings)))


def app(
    name: Optional[str] = None, *, pid: Optional[int] = None, bundle_id: Optional[str] = None, **settings: Any
) -> App:
    """Attaches to an app of this desktop, by exactly one of its name, its process and its bundle id."""
    return connect(app_uri(name, pid, bundle_id), **settings)


def web(url: str, **settings: Any) -> App:
    """Opens a page in a private headless browser, which ends with the app. ``headless=False`` shows it."""
    return connect(web_uri(url), **settings)


def desktop(width: int = 1280, height: int = 800, *, inherit_home: bool = False) -> Desktop:
    """A private desktop for any Linux app: ``with sp.desktop() as desktop: …``."""
    return Desktop(width, height, inherit_home)
