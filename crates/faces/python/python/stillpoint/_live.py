"""What is open in this process: ended when the interpreter ends, and known to the pytest plugin."""

from __future__ import annotations

import atexit
import weakref
from typing import Any

from . import _native

#: Every app object that has not been forgotten.
apps: weakref.WeakSet[Any] = weakref.WeakSet()

# Run before the interpreter is taken apart, after a normal end, an exception or sys.exit. A forked child that ends
# leaves what its parent has alone: the native half knows whose it is.
atexit.register(_native.shut_down)
