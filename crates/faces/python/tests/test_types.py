"""The types are complete and right, for both checkers, and the stub of the native half says what is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = PACKAGE.parents[2]
EXAMPLES = SOURCES / "examples/python"
# The environment as if it were activated: pyright looks for packages in what PATH finds.
VENV = Path(sys.prefix)
ENV = {
    **os.environ,
    "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
    "VIRTUAL_ENV": str(VENV),
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
}


def run(*command: object, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)], capture_output=True, text=True, cwd=cwd, env=ENV, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict_accepts_the_package_and_its_users(tmp_path: Path) -> None:
    cache = Path(os.environ.get("STILLPOINT_TYPE_CACHE", tmp_path))
    run("mypy", "--strict", "--cache-dir", cache, "-p", "stillpoint", cwd=tmp_path)
    run("mypy", "--strict", "--cache-dir", cache, *EXAMPLES.glob("*.py"), cwd=tmp_path)


def test_pyright_strict_accepts_the_package() -> None:
    run("pyright", "--pythonpath", sys.executable, "python/stillpoint", cwd=PACKAGE)


def test_pyright_finds_a_type_for_every_public_name(tmp_path: Path) -> None:
    run("pyright", "--verifytypes", "stillpoint", "--ignoreexternal", cwd=tmp_path)


def test_the_stub_says_what_the_native_half_has(tmp_path: Path) -> None:
    run("mypy.stubtest", "stillpoint._native", cwd=tmp_path)


def test_a_mistake_of_a_user_is_seen_by_mypy(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import stillpoint as sp\nsp.connect("sim:login").find("#a").tap(timeout_ms="long")\n')
    with pytest.raises(AssertionError, match='has incompatible type "str"; expected "int"'):
        run("mypy", "--strict", wrong, cwd=tmp_path)
