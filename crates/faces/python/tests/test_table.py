"""Nothing of the engine is missing here, and the two halves of the package are one."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import stillpoint as sp
from stillpoint import _errors, _native, aio

PACKAGE = Path(__file__).resolve().parents[1]


def test_every_verb_of_the_engine_is_a_method() -> None:
    names = [verb["name"] for verb in json.loads(_native.verbs())]
    assert len(names) >= 32
    for half in (sp, aio):
        missing = [name for name in names if not callable(getattr(half.App, name, None))]
        assert missing == []


def test_every_error_code_is_an_exception() -> None:
    assert sorted(_errors.BY_CODE) == sorted(_native.codes())
    for code, kind in _errors.BY_CODE.items():
        name = "".join(word.capitalize() for word in code.split("_"))
        assert getattr(sp, name) is kind and name in sp.__all__


@pytest.mark.parametrize("name", ["App", "Locator", "Expect", "Desktop", "Program", "Change"])
def test_both_halves_have_the_same_methods_and_parameters(name: str) -> None:
    blocking, later = getattr(sp, name), getattr(aio, name)

    def members(kind: type) -> dict[str, str]:
        rename = {"__aenter__": "__enter__", "__aexit__": "__exit__"}
        found = inspect.getmembers(kind, lambda m: inspect.isfunction(m) or isinstance(m, property))
        return {
            rename.get(n, n): "property" if isinstance(m, property) else str(inspect.signature(m)).split(" -> ")[0]
            for n, m in found
        }

    assert members(blocking) == members(later)


def test_functions_of_both_halves_take_the_same() -> None:
    assert set(aio.__all__) <= set(sp.__all__)
    for name in ("app", "web", "connect", "desktop", "expect"):
        parameters = [inspect.signature(getattr(half, name)).parameters for half in (sp, aio)]
        assert parameters[0].keys() == parameters[1].keys()


@pytest.mark.parametrize("tool", ["make_verbs.py", "make_blocking.py"])
def test_generated_files_are_what_their_source_says(tool: str) -> None:
    done = subprocess.run([sys.executable, PACKAGE / "tools" / tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_installed_package_is_the_one_in_the_source_tree() -> None:
    installed = Path(sp.__file__).parent
    source = PACKAGE / "python/stillpoint"
    for file in source.rglob("*.py*"):
        if "__pycache__" not in file.parts and file.suffix in (".py", ".pyi"):
            assert (installed / file.relative_to(source)).read_text() == file.read_text(), file
    assert (installed / "py.typed").exists()
