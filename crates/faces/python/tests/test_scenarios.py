"""The scenarios of every backend, through Python: on the simulator, on GTK 3 and in Chromium.

``STILLPOINT_REPEAT=50`` plays each so often; once without it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playing import play

import stillpoint as sp

SOURCES = Path(__file__).resolve().parents[4]
SCENARIOS = sorted((SOURCES / "apps/scenarios").glob("*.scenario"))
ROUNDS = int(os.environ.get("STILLPOINT_REPEAT", "1"))


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 13


@pytest.fixture(scope="module")
def on_sim() -> Iterator[sp.App]:
    with sp.connect("sim:fixture?jitter=120&seed=7") as app:
        yield app


@pytest.fixture(scope="module")
def on_gtk(desktop: sp.Desktop) -> Iterator[sp.App]:
    # Debian's Python has GTK; no byte code is left in the source tree.
    command = ["/usr/bin/python3", "-B", str(SOURCES / "apps/gtk3/fixture.py")]
    with desktop.run(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.process.stdout is not None
        assert program.process.stdout.readline().startswith(b"ready")
        with program.app() as app:
            yield app


@pytest.fixture(scope="module")
def on_chromium() -> Iterator[sp.App]:
    with sp.web(f"file://{SOURCES}/apps/web/fixture.html") as app:
        yield app


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=pytest.mark.xdist_group(place)) for place in ("on_sim", "on_gtk", "on_chromium")]
)
def test_a_scenario_plays(place: str, file: Path, request: pytest.FixtureRequest) -> None:
    app = request.getfixturevalue(place)
    for _ in range(ROUNDS):
        assert play(app, file) > 0
