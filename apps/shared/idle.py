"""The app's own word: with `--idle LIBRARY`, each operation holds a guard and the main loop is watched."""

import os
import pathlib
import sys

MODULE = pathlib.Path(__file__).resolve().parents[2] / "crates" / "idle" / "python"


class Silent:
    """Says nothing: how the app is without the SDK."""

    def begin(self, name):
        return 0

    def end(self, ticket):
        pass

    def stop(self):
        pass


def speaking(library, toolkit):
    """The SDK of this library, with the toolkit's main loop watched. Fails if nothing can be reported."""
    os.environ["STILLPOINT_IDLE_LIB"] = library
    sys.path.insert(0, str(MODULE))
    import stillpoint_idle

    if not stillpoint_idle.start():
        raise RuntimeError(stillpoint_idle.why_not())
    if not toolkit.watch_loop(stillpoint_idle):
        raise RuntimeError(f"the main loop of {toolkit.name} cannot be watched")
    return stillpoint_idle
