"""An agent's loop: look, decide, act, and see what changed, until the goal is reached.

    python examples/python/agent_loop.py [TARGET]

`decide` is where a model would be asked. It gets what a model would get: the goal, the screen as compact text once, and from then
on only what changed. Here it follows rules, so that the example runs anywhere, on the simulator by default.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Optional

import stillpoint as sp

GOAL = "Sign in as ada, and tell which orders are open."


def decide(screen: str, done: list[str]) -> Optional[dict[str, Any]]:
    """The next call, or None once the goal is reached. Replace it by a call to a model with the same table of verbs."""
    if "Welcome" in screen:
        return None
    if not done:
        return {"verb": "type_text", "selector": 'textbox "Username"', "text": "ada"}
    if len(done) == 1:
        return {"verb": "type_text", "selector": 'textbox "Password"', "text": "engine"}
    return {"verb": "tap", "selector": 'button "Sign in"'}


def main() -> int:
    target = sys.argv[1] if len(sys.argv) > 1 else "sim:login"
    with sp.connect(target) as app:
        screen, seen, done = app.snapshot(), app.revision, list[str]()
        words, paid = str(screen), len(str(screen))
        print(GOAL, words, sep="\n\n")
        for _ in range(10):
            step = decide(words, done)
            if step is None:
                break
            verb = step.pop("verb")
            # What the agent looked at may have changed while it was thinking: then nothing is done, and it is told so.
            answer = app.ask(verb, **step, expected_revision=seen)
            done.append(f"{verb} {step['selector']}")
            print("\n>", done[-1])
            # The action has settled, so one look after it is enough.
            told = app.snapshot(since=seen)
            words, seen = str(told), told.revision
            paid += len(words)
            print(words if answer.verdict == "done" else answer)
        orders = re.findall(r'listitem "(.*?)"', str(app.snapshot()))
        print(f"\n{len(done)} actions, {paid} characters read. Open orders: {', '.join(orders)}")
    return 0 if orders else 1


if __name__ == "__main__":
    sys.exit(main())
