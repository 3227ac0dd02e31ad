"""The examples run as their first lines say, from a directory that is not theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[4] / "examples/python"


def run(folder: Path, *command: object) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, cwd=folder, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_gtk_app_is_tested_with_pytest(tmp_path: Path) -> None:
    told = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, EXAMPLES / "test_editor.py")
    assert "3 passed" in told


def test_a_web_page_is_driven(tmp_path: Path) -> None:
    told = run(tmp_path, EXAMPLES / "web_page.py")
    assert told.count(": verified") == 3 and "['Boots', 'Tent', 'Lamp']" in told
    assert (tmp_path / "to-do.png").read_bytes().startswith(b"\x89PNG")


def test_an_agents_loop_reaches_its_goal(tmp_path: Path) -> None:
    told = run(tmp_path, EXAMPLES / "agent_loop.py")
    assert "Open orders: Order 1041: boots" in told
