"""The pytest plugin: fixtures ``app``, ``web`` and ``desktop``, and what happened when a test fails.

``@pytest.mark.stillpoint("sim:login")`` names the target of ``app``; ``command=[…]`` starts a program on the private desktop
and attaches to it. Without a mark, ``app`` takes the ini setting ``stillpoint_target`` or ``--stillpoint-target``.

When a test fails, the story of each app that it had is a section of the report, and story, trace and picture are written below
``--stillpoint-trace DIR`` (``stillpoint-trace`` unless told).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from . import _live, _native
from ._blocking import App, Desktop, connect
from ._blocking import web as open_page

#: A setting that names no file.
_DEFAULT_FOLDER = "stillpoint-trace"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds what can be chosen."""
    group = parser.getgroup("stillpoint")
    group.addoption(
        "--stillpoint-trace",
        metavar="DIR",
        default=None,
        help=f"where the story, the trace and a picture of each app go when a test fails (default: {_DEFAULT_FOLDER})",
    )
    group.addoption(
        "--stillpoint-target", metavar="URI", default=None, help="what the fixture `app` attaches to, such as app:gedit"
    )
    parser.addini("stillpoint_target", "what the fixture `app` attaches to, such as app:gedit", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Tells of the mark."""
    config.addinivalue_line(
        "markers",
        "stillpoint(target=None, *, command=None, **settings): what the fixture `app` attaches to: a URI, or a program "
        "that is started on a private desktop",
    )


@pytest.fixture(scope="session")
def desktop() -> Iterator[Desktop]:
    """A private desktop for the whole run."""
    with Desktop() as started:
        yield started


@pytest.fixture
def app(request: pytest.FixtureRequest) -> Iterator[App]:
    """The app that the test's mark, the command line or the settings name; let go after the test."""
    mark = request.node.get_closest_marker("stillpoint")
    settings: dict[str, Any] = dict(mark.kwargs) if mark else {}
    command = settings.pop("command", None)
    if command is not None:
        place: Desktop = request.getfixturevalue("desktop")
        with place.run(command) as program, program.app(**settings) as opened:
            yield opened
        return
    target = settings.pop("target", None) or (mark.args[0] if mark and mark.args else None)
    target = target or request.config.getoption("--stillpoint-target") or request.config.getini("stillpoint_target")
    if not target:
        pytest.fail(
            "the fixture `app` does not know what to attach to: mark the test with "
            '@pytest.mark.stillpoint("app:gedit"), or set stillpoint_target',
            pytrace=False,
        )
    with connect(str(target), **settings) as opened:
        yield opened


@pytest.fixture
def web() -> Iterator[Callable[..., App]]:
    """Opens pages: ``page = web("http://127.0.0.1:8000/")``. Each has a private browser, which ends with the test."""
    opened: list[App] = []

    def open_one(url: str, **settings: Any) -> App:
        page = open_page(url, **settings)
        opened.append(page)
        return page

    try:
        yield open_one
    finally:
        for page in opened:
            page.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what happened in each app to the report of a test that failed."""
    report = yield
    if report.failed and call.when in ("setup", "call"):
        folder = Path(item.config.getoption("--stillpoint-trace") or item.config.rootpath / _DEFAULT_FOLDER)
        for number, opened in enumerate(_alive()):
            _attach(report, opened, folder / _file_name(item.nodeid), number)
    return report


def _alive() -> list[Any]:
    return sorted((a for a in set(_live.apps) if _is_open(a)), key=lambda a: str(a.target))


def _is_open(opened: Any) -> bool:
    try:
        return not opened.closed
    except _native.EngineError:
        # Of the process from which this one was forked.
        return False


def _attach(report: pytest.TestReport, opened: Any, folder: Path, number: int) -> None:
    session: _native.Session = opened._session
    story = session.story(60)
    folder.mkdir(parents=True, exist_ok=True)
    name = folder / str(number)
    name.with_suffix(".txt").write_text(f"{opened.target}\n{story}", encoding="utf-8")
    name.with_suffix(".jsonl").write_text(session.trace() + "\n", encoding="utf-8")
    told = [story.rstrip(), f"trace: {name}.jsonl"]
    try:
        picture = session.ask("screenshot", "{}").picture()
    except _native.EngineError as error:
        told.append(f"no picture: {error}")
    else:
        name.with_suffix(".png").write_bytes(picture or b"")
        told.append(f"picture: {name}.png")
    try:
        told += ["", session.ask("snapshot", "{}").text().rstrip()]
    except _native.EngineError as error:
        told.append(f"no snapshot: {error}")
    report.sections.append((f"stillpoint {opened.target}", "\n".join(told)))


def _file_name(node: str) -> str:
    return re.sub(r"[^\w.-]+", "_", node).strip("_")[-120:]
