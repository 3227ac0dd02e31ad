"""Says when this app has work in flight, so that a reader knows when it is at rest.

    import stillpoint_idle

    with stillpoint_idle.busy("network"):
        fetch()

Pure ctypes over libstillpoint_idle. Without the library everything here does nothing, and `why_not()` says why.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from typing import Any, Awaitable, Optional, TypeVar

__all__ = ["begin", "busy", "end", "path", "start", "stop", "track", "track_glib", "track_qt", "why_not"]

_T = TypeVar("_T")
_NAME = "libstillpoint_idle.so"


class _Missing:
    """Stands in for the library: reports nothing."""

    def __init__(self, why: str) -> None:
        self.why = why


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    """The library: beside this module, where STILLPOINT_IDLE_LIB says, or where the system's loader finds it."""
    named = os.environ.get("STILLPOINT_IDLE_LIB")
    places = [named] if named else [str(pathlib.Path(__file__).with_name(_NAME)), _NAME]
    tried = []
    for place in places:
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as error:
            tried.append(str(error))
    else:
        return _Missing(f"{_NAME} was not found ({'; '.join(tried)}); set STILLPOINT_IDLE_LIB to its path")
    library.sp_idle_start.restype = ctypes.c_int32
    library.sp_idle_begin.argtypes = [ctypes.c_char_p]
    library.sp_idle_begin.restype = ctypes.c_uint64
    library.sp_idle_end.argtypes = [ctypes.c_uint64]
    library.sp_idle_end.restype = None
    library.sp_idle_track_glib.argtypes = [ctypes.c_uint32]
    library.sp_idle_track_glib.restype = ctypes.c_int32
    for text in (library.sp_idle_why_not, library.sp_idle_path):
        text.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        text.restype = ctypes.c_size_t
    return library


def _text(function: str) -> str:
    call = getattr(_library(), function)
    buffer = ctypes.create_string_buffer(call(None, 0) + 1)
    call(buffer, len(buffer))
    return buffer.value.decode(errors="replace")


def start() -> bool:
    """Starts reporting now instead of at the first `busy`. False: nothing is reported, and `why_not()` says why."""
    library = _library()
    return not isinstance(library, _Missing) and library.sp_idle_start() == 0


def stop() -> None:
    """Stops reporting for good: readers see this app as lost."""
    library = _library()
    if not isinstance(library, _Missing):
        library.sp_idle_stop()


def why_not() -> Optional[str]:
    """Why nothing is reported, or None if all is well."""
    library = _library()
    if isinstance(library, _Missing):
        return library.why
    return _text("sp_idle_why_not") or None


def path() -> Optional[str]:
    """This process's page, or None if there is none."""
    if isinstance(_library(), _Missing):
        return None
    return _text("sp_idle_path") or None


def begin(name: str) -> int:
    """Says that work is in flight; give the ticket to `end`, once. 0: it counts nowhere."""
    library = _library()
    if isinstance(library, _Missing):
        return 0
    return library.sp_idle_begin(name.replace("\0", "").encode())


def end(ticket: int) -> None:
    """Says that the work with this ticket has ended."""
    if ticket:
        _library().sp_idle_end(ticket)


class busy:
    """Work in flight, for as long as the `with` block lasts. Also decorates a function."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tickets: list[int] = []

    def __enter__(self) -> "busy":
        self._tickets.append(begin(self._name))
        return self

    def __exit__(self, *_: object) -> None:
        end(self._tickets.pop())

    def __call__(self, function: Any) -> Any:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with busy(self._name):
                return function(*args, **kwargs)

        return wrapped


class track(Awaitable[_T]):
    """Wraps a coroutine or any awaitable: busy from now until it is done, cancelled or dropped.

        await track(fetch(), "network")
        asyncio.ensure_future(track(fetch(), "network"))
    """

    def __init__(self, awaitable: Awaitable[_T], name: str = "asyncio") -> None:
        self._awaitable = awaitable
        self._ticket = begin(name)

    def _end(self) -> None:
        ticket, self._ticket = self._ticket, 0
        end(ticket)

    def __await__(self) -> Any:
        try:
            return (yield from self._awaitable.__await__())
        finally:
            self._end()

    def __del__(self) -> None:
        self._end()


def track_glib(timers_ms: int = 0) -> bool:
    """Reports the GLib main loop (GTK 3 and 4) as "glib" while it dispatches; with `timers_ms` also as "glib-timer" while
    a timer is due within that time. Call it after `import gi`, before the loop runs. False: no library or no GLib."""
    library = _library()
    return not isinstance(library, _Missing) and library.sp_idle_track_glib(timers_ms) == 0


def track_qt(name: str = "qt") -> bool:
    """Reports the Qt event loop while it handles events. Call it after the application object exists, in its thread, with
    PyQt5, PyQt6, PySide6 or PySide2 imported. False: no library, no binding, or no application object.

    Where Qt runs on GLib (most desktops), this is `track_glib`, and the resource is called "glib": there, Qt's own
    signals come too late. Elsewhere work begins with the first event after a block, and ends at the next block."""
    if isinstance(_library(), _Missing):
        return False
    core = _qt_core()
    dispatcher = core and core.QAbstractEventDispatcher.instance()
    application = core and core.QCoreApplication.instance()
    if not dispatcher or not application:
        return False
    if "Glib" in dispatcher.metaObject().className():
        return track_glib()

    class Watch(core.QObject):
        ticket = 0

        def begin(self) -> None:
            if not self.ticket:
                self.ticket = begin(name)

        def block(self) -> None:
            ticket, self.ticket = self.ticket, 0
            end(ticket)

        def eventFilter(self, *_: Any) -> bool:
            self.begin()
            return False

    watch = Watch(application)
    watch.begin()
    dispatcher.awake.connect(watch.begin)
    dispatcher.aboutToBlock.connect(watch.block)
    application.installEventFilter(watch)
    return True


def _qt_core() -> Any:
    import sys

    # Only a binding that the app itself has imported: two in one process do not agree.
    loaded = (sys.modules.get(binding + ".QtCore") for binding in ("PyQt5", "PyQt6", "PySide6", "PySide2"))
    return next((core for core in loaded if core is not None), None)
