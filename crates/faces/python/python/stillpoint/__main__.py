"""``python -m stillpoint``: the command line, from the same wheel."""

from __future__ import annotations

import os
import sys

from . import _native


def main() -> int:
    """Runs the command line with the arguments of this process."""
    # What starts it again, as the daemon is: the script beside this interpreter.
    program = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "stillpoint")
    if not os.path.exists(program):
        program = os.path.abspath(sys.argv[0])
    return _native.main(program, ["stillpoint", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
