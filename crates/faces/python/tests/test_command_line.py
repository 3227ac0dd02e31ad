"""``python -m stillpoint`` and the script ``stillpoint``: the command line, from the same wheel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stillpoint as sp

SCRIPT = str(Path(sys.executable).with_name("stillpoint"))
WAYS = [[sys.executable, "-m", "stillpoint"], [SCRIPT]]


@pytest.mark.parametrize("way", WAYS, ids=["module", "script"])
def test_it_is_the_command_line(way: list[str], tmp_path: Path) -> None:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*way, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60)

    assert run("--version").stdout.split() == ["stillpoint", sp.__version__]
    found = run("find", "sim:login", "#username", "--json")
    assert found.returncode == 0 and json.loads(found.stdout)["count"] == 1
    assert run("tap", "sim:login", "#nobody", "--timeout-ms", "0").returncode == 1
    assert run("dance").returncode == 2


def test_the_daemon_that_it_starts_is_the_same_program(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    tmp_path.chmod(0o700)

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*WAYS[0], *arguments], capture_output=True, text=True, env=env, timeout=60)

    try:
        first = run("find", "sim:login", "#username", "--daemon", "--json")
        assert first.returncode == 0, first.stderr
        status = run("serve", "--status", "--json")
        assert "sim:login" in status.stdout, status.stdout + status.stderr
    finally:
        assert run("serve", "--stop").returncode == 0


def test_the_client_of_an_agent_is_told_the_script(tmp_path: Path) -> None:
    printed = subprocess.run(
        [*WAYS[0], "mcp", "install", "claude-code", "--print"],
        capture_output=True, text=True, env={**os.environ, "HOME": str(tmp_path)}, timeout=60,
    )
    assert SCRIPT in printed.stdout, printed.stderr
