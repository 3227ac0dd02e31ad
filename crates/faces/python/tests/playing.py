"""Plays ``apps/scenarios/*.scenario`` through the package: the same files that every backend and face plays.

The language is described in ``crates/scenarios/src/lib.rs``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stillpoint as sp


@dataclass
class Step:
    """A call, and what must be true of its answer."""

    line: int
    verb: str
    params: dict[str, Any]
    claims: list[str] = field(default_factory=list)


@dataclass
class Reply:
    """What was answered: JSON and words, or an error."""

    json: dict[str, Any] = field(default_factory=dict)
    words: str = ""
    error: sp.StillpointError | None = None

    def at(self, path: str) -> Any:
        found: Any = self.json
        for name in path.split("."):
            if isinstance(found, list):
                found = found[int(name)] if name.isdigit() and int(name) < len(found) else None
            else:
                found = found.get(name) if isinstance(found, dict) else None
        return found

    @property
    def code(self) -> str | None:
        return self.error.code if self.error is not None else self.json.get("failure_code")


def steps_of(file: Path) -> list[Step]:
    """The steps of a scenario."""
    steps: list[Step] = []
    for number, whole in enumerate(file.read_text().splitlines(), 1):
        text = whole.strip()
        if not text or text.startswith("#"):
            continue
        if not whole.startswith(" "):
            steps.append(_step(number, text))
        elif text.startswith("=>"):
            steps[-1].claims.append(text[2:].strip())
        else:
            name, value = text.split(": ", 1)
            steps[-1].params[name] = _value(value)
    return steps


def _step(number: int, text: str) -> Step:
    if text.startswith("page "):
        name, _, shows = text[5:].partition(" shows ")
        step = Step(number, "tap", {"selector": f'button "{name} page"'})
        if shows:
            step.params["expect"] = shows
        step.claims.append("verified" if shows else "done")
        return step
    verb, colon, selector = text.partition(": ")
    return Step(number, verb.rstrip(":"), {"selector": selector} if colon else {})


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, str) else value


def play(app: sp.App, file: Path) -> int:
    """Plays a scenario to its end; how many claims held."""
    saved: dict[str, Any] = {}
    held = 0
    for step in steps_of(file):
        params = {
            name: saved[value[1:]] if isinstance(value, str) and value.startswith("$") else value
            for name, value in step.params.items()
        }
        reply = _ask(app, step.verb, params)
        for claim in step.claims:
            told = f"{file.stem}, line {step.line}: {step.verb} {params}\n  expected {claim}\n  observed {reply.words}"
            assert _holds(claim, reply, saved), told
            held += 1
    return held


def _ask(app: sp.App, verb: str, params: dict[str, Any]) -> Reply:
    try:
        answer = app.ask(verb, **params)
    except sp.StillpointError as error:
        return Reply(words=f"{error.code}: {error}\n{json.dumps(error.details, ensure_ascii=False)}", error=error)
    return Reply(answer.data, f"{answer}\n{json.dumps(answer.data, ensure_ascii=False)}")


def _holds(claim: str, reply: Reply, saved: dict[str, Any]) -> bool:
    word, _, rest = claim.partition(" ")
    if claim == "done":
        return reply.code is None and reply.at("success") is not False and reply.at("status") != "timeout"
    if claim == "verified":
        return reply.code is None and reply.at("lifecycle_state") == "verified"
    if claim.isupper():
        return reply.code == claim
    if word == "says":
        return json.loads(rest) in reply.words
    if word == "hides":
        return json.loads(rest) not in reply.words
    if word == "save":
        name, path = rest.split(" = ")
        saved[name] = reply.at(path)
        return saved[name] is not None
    path, value = claim.split(" = ", 1)
    return bool(reply.at(path) == json.loads(value))
