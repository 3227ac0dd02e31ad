"""Parameters on their way to the engine."""

from __future__ import annotations

import json
from typing import Any


def _plain(value: Any) -> Any:
    selector = getattr(value, "selector", None)
    if selector is not None:
        return selector
    raise TypeError(f"{type(value).__name__} is not a parameter that the engine can read")


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode


def as_json(params: Any) -> str:
    """Parameters as JSON; a locator stands for its selector."""
    return _encode(params)
