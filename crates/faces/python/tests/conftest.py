"""What the tests share. They use the installed package, never the sources beside them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

import stillpoint as sp

pytest_plugins = ["pytester"]

SOURCES = Path(__file__).resolve().parents[4]
PACKAGE = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    installed = Path(sp.__file__).resolve()
    assert PACKAGE not in installed.parents, f"{installed} is not the installed package"


@pytest.fixture
def sources() -> Path:
    """The source tree, for fixture apps and scenarios."""
    return SOURCES


@pytest.fixture
def python(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs a program in an interpreter of its own, as a shell in front of a person would: what a shell starts in the background
    ignores Ctrl-C, and so would all that the tests start."""

    def hear_ctrl_c() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def run(program: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, cwd=tmp_path, preexec_fn=hear_ctrl_c
        )

    return run
