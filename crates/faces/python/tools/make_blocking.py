"""Writes ``_blocking/`` from ``aio/``: the same definitions without ``await``. One source, so neither can drift.

    python tools/make_blocking.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python/stillpoint"
SOURCE, OUTPUT = PACKAGE / "aio", PACKAGE / "_blocking"
#: Written by hand in both: how the engine is asked.
BY_HAND = {"_asking.py"}

NOTE = "# Written by tools/make_blocking.py from aio/{name}; do not edit.\n"

RULES = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\bAsyncIterator\b", "Iterator"),
    # In words and examples.
    (r"from stillpoint\.aio import", "from stillpoint import"),
    (r"from stillpoint import aio\b", "import stillpoint as sp"),
    (r"\baio\.", "sp."),
]
TITLE = '"""The blocking half of the package: what ``stillpoint`` exports."""\n\n'


def blocking(name: str, text: str) -> str:
    """The blocking form of a file."""
    if name == "__init__.py":
        text = TITLE + text[text.index("\nfrom ._app") + 1 :]
    for pattern, by in RULES:
        text = re.sub(pattern, by, text)
    # Parentheses that only an await needed.
    text = re.sub(r"\((self\.element\(\))\)\.", r"\1.", text)
    text = re.sub(r"\((apply\.nth\(1\)\.element\(\))\)\.", r"\1.", text)
    return NOTE.format(name=name) + text


def main() -> int:
    stale = []
    names = sorted(p.name for p in SOURCE.glob("*.py") if p.name not in BY_HAND)
    for name in names:
        text = blocking(name, (SOURCE / name).read_text())
        file = OUTPUT / name
        if "--check" in sys.argv:
            if not file.exists() or file.read_text() != text:
                stale.append(name)
        else:
            file.write_text(text)
    stray = {p.name for p in OUTPUT.glob("*.py")} - set(names) - BY_HAND
    if stale or stray:
        print(f"_blocking/ is not what aio/ says ({stale + sorted(stray)}): run tools/make_blocking.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
