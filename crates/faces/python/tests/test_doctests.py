"""The examples in the documentation of the package run, on the simulator."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import stillpoint

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [
    m.name
    for m in pkgutil.walk_packages(stillpoint.__path__, "stillpoint.")
    if not m.name.endswith("__main__") and not m.name.startswith("stillpoint.aio.")
] + ["stillpoint"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert done.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = sum(len(t.examples) for name in MODULES for t in finder.find(importlib.import_module(name)))
    assert found >= 40
