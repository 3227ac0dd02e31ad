"""Writes ``aio/_verbs.py``: a method for each verb of the engine's table, with its parameters, defaults and words.

    python tools/make_verbs.py [--check]

It takes the table from the native half that is installed for this interpreter. `make_blocking.py` follows.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import sys
import sysconfig
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "python/stillpoint/aio/_verbs.py"

#: Verbs whose methods are written by hand, for their answers are objects of their own.
BY_HAND = {"snapshot", "find_element", "is_idle", "screenshot", "run_flow"}
#: Verbs that a locator has under a shorter name.
ON_LOCATOR = {"type_text": "type", "set_value": "set", "press_key": "press", "wait_for_ui": "wait_for"}
#: Verbs that a locator leaves to `expect`.
EXPECTED = {"expect_element_visible", "expect_state"}
#: Which call an answer is made by, and its type.
ANSWERS = {"Envelope": ("act", "Action"), "WaitAnswer": ("wait", "Wait"), "Expected": ("verify", "Expected")}
TYPES = {"integer": "int", "boolean": "bool", "string": "str", "number": "float"}
#: Types of parameters that are a choice, an object or a selector.
NAMED = {
    "SelectorInput": "Selector",
    "Revision": "int",
    "ExpectInput": "Union[Selector, Mapping[str, Any]]",
    "Fingerprint": "Mapping[str, Any]",
    "ValueInput": "Union[bool, float, str]",
    "NetworkResult": "Mapping[str, Any]",
}

HEADER = '''"""Every verb of the engine as a method. Written by tools/make_verbs.py from the engine's table; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

from .. import _native
from .._answers import Action, Answer, Expected, Wait
from .._targets import Selector
from ._calls import act, insist, look, verify, wait


def _given(required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """Parameters without those that were left out."""
    required.update((name, value) for name, value in optional.items() if value is not None)
    return required

'''


def table() -> list[dict[str, Any]]:
    """The verb table of the native half, loaded without the package that is being written."""
    folder = Path(sysconfig.get_path("platlib")) / "stillpoint"
    [library] = folder.glob("_native.*so")
    loader = importlib.machinery.ExtensionFileLoader("_native", str(library))
    spec = importlib.util.spec_from_loader("_native", loader)
    assert spec is not None
    native = importlib.util.module_from_spec(spec)
    loader.exec_module(native)
    return list(json.loads(native.verbs()))


def type_of(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return NAMED[name] if name in NAMED else choice(defs[name])
    if "anyOf" in schema:
        return type_of(next(s for s in schema["anyOf"] if s.get("type") != "null"), defs)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(k for k in kind if k != "null")
    if kind == "array":
        return f"Sequence[{type_of(schema['items'], defs)}]"
    return TYPES.get(kind, "Any") if kind else "Any"


def choice(schema: dict[str, Any]) -> str:
    words = [w for one in schema.get("oneOf", []) for w in ([one["const"]] if "const" in one else one.get("enum", []))]
    words += schema.get("enum", [])
    return f"Literal[{', '.join(json.dumps(w) for w in words)}]" if words else "str"


def method(verb: dict[str, Any], name: str, on_locator: bool) -> str:
    schema = verb["params"]
    defs, required = schema.get("$defs", {}), list(schema.get("required", []))
    properties: dict[str, Any] = schema.get("properties", {})
    if on_locator:
        properties = {k: v for k, v in properties.items() if k != "selector"}
        required = [r for r in required if r != "selector"]
    optional = [p for p in properties if p not in required]
    # What may be left out is named: nobody shall mistake a text for a selector.
    lines = [f"    async def {name}(", "        self,"]
    lines += [f"        {p}: {type_of(properties[p], defs)}," for p in required]
    if optional:
        lines.append("        *,")
    for p in optional:
        kind, default = type_of(properties[p], defs), properties[p].get("default")
        if default is None or isinstance(default, list):
            lines.append(f"        {p}: Optional[{kind}] = None,")
        else:
            lines.append(f"        {p}: {kind} = {default!r},".replace("'", '"'))
    call, answer = ANSWERS.get(verb["answer"].get("title"), ("look", "Answer"))
    if on_locator and call == "wait":
        call = "insist"
    lines.append(f"    ) -> {answer}:")
    lines += documentation(verb, properties, required + optional)
    given = ", ".join(f'"{p}": {p}' for p in required)
    if on_locator:
        given = ", ".join(filter(None, ['"selector": self.selector', given]))
    lines += [f"        params: dict[str, Any] = {{{given}}}"]
    if optional:
        lines += ["        optional: dict[str, Any] = {"]
        lines += [f'            "{p}": {p},' for p in optional]
        lines += ["        }", f'        return await {call}(self._session, "{verb["name"]}", _given(params, optional))']
    else:
        lines += [f'        return await {call}(self._session, "{verb["name"]}", params)']
    return "\n".join(lines) + "\n"


def documentation(verb: dict[str, Any], properties: dict[str, Any], order: list[str]) -> list[str]:
    words = textwrap.wrap(" ".join(verb["about"].split()), 108)
    lines = ['        """' + words[0], *("        " + w for w in words[1:])]
    told = [(p, properties[p].get("description")) for p in order]
    if any(about for _, about in told):
        lines.append("")
    for p, about in told:
        if about:
            text = f":param {p}: {' '.join(about.split())}"
            lines += ["        " + w for w in textwrap.wrap(text, 108, subsequent_indent="    ")]
    if len(lines) == 1:
        return [lines[0] + '"""']
    return [*lines, '        """']


def written() -> str:
    app = ["class AppVerbs:", '    """The verbs of an app."""', "", "    _session: _native.Session", ""]
    locator = [
        "class LocatorVerbs:",
        '    """The verbs of one element."""',
        "",
        "    _session: _native.Session",
        "",
        "    @property",
        "    def selector(self) -> Union[str, Mapping[str, Any]]:",
        '        """What finds it."""',
        "        raise NotImplementedError",
        "",
    ]
    for verb in table():
        if verb["name"] in BY_HAND:
            continue
        app.append(method(verb, verb["name"], on_locator=False))
        if "selector" in verb["params"].get("properties", {}) and verb["name"] not in EXPECTED:
            locator.append(method(verb, ON_LOCATOR.get(verb["name"], verb["name"]), on_locator=True))
    return HEADER + "\n" + "\n".join(app) + "\n\n" + "\n".join(locator)


def main() -> int:
    text = written()
    if "--check" in sys.argv:
        if OUTPUT.read_text() != text:
            print(f"{OUTPUT} is not what the engine's table says: run tools/make_verbs.py", file=sys.stderr)
            return 1
        return 0
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
