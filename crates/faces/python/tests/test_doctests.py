"""The examples in the documentation of the package run, on the simulator."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import doctest
import importlib
import inspect
import io
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


LATER = [m.name for m in pkgutil.walk_packages(stillpoint.__path__, "stillpoint.") if m.name.startswith("stillpoint.aio.")]


@pytest.mark.parametrize("name", LATER)
def test_examples_with_await_run(name: str) -> None:
    checker = doctest.OutputChecker()
    for test in doctest.DocTestFinder().find(importlib.import_module(name)):
        asyncio.run(run_later(test, checker))


async def run_later(test: doctest.DocTest, checker: doctest.OutputChecker) -> None:
    """Runs examples as the asyncio prompt does: with `await` at the top."""
    names = {"__name__": "__main__"}
    for example in test.examples:
        printed = io.StringIO()
        code = compile(example.source, test.name, "single", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with contextlib.redirect_stdout(printed):
            done = eval(code, names)
            if inspect.isawaitable(done):
                await done
        told = f"{test.name}: {example.source}expected {example.want}got {printed.getvalue()}"
        assert checker.check_output(example.want, printed.getvalue(), FLAGS), told


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = sum(len(t.examples) for name in MODULES for t in finder.find(importlib.import_module(name)))
    assert found >= 40
