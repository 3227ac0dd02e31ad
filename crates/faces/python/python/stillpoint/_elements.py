"""Elements, snapshots and deltas: what was on the screen at one revision, and what changed."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

from . import _native

#: What is known of a state: absent is not false.
State = Union[bool, str]


class Bounds(NamedTuple):
    """A place on the screen, in pixels."""

    x: int
    y: int
    width: int
    height: int


class Element:
    """One element as it was when it was read."""

    __slots__ = ("data",)

    data: dict[str, Any]

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @property
    def id(self) -> str:
        """The session's handle for it, as in ``e12``."""
        return str(self.data["element_id"])

    @property
    def role(self) -> str:
        """What kind of thing it is."""
        return str(self.data["role"])

    @property
    def label(self) -> Optional[str]:
        """Its accessible name."""
        return self.data.get("label")

    @property
    def text(self) -> str:
        """What it shows: its text, else its value, else its label."""
        for name in ("text", "value", "label"):
            if self.data.get(name) is not None:
                return str(self.data[name])
        return ""

    @property
    def value(self) -> Optional[str]:
        """Its value, as it is shown."""
        return self.data.get("value")

    @property
    def raw_value(self) -> Optional[float]:
        """Its value as a number."""
        return self.data.get("raw_value")

    @property
    def stable_id(self) -> Optional[str]:
        """The identifier that its developer gave it."""
        return self.data.get("stable_id")

    @property
    def description(self) -> Optional[str]:
        """What the platform says beyond its name."""
        return self.data.get("description")

    @property
    def bounds(self) -> Optional[Bounds]:
        """Where it is on the screen."""
        found = self.data.get("bounds")
        return Bounds(found["x"], found["y"], found["width"], found["height"]) if found else None

    @property
    def state(self) -> dict[str, State]:
        """Its states, as far as they are known: True, False or "mixed"."""
        return dict(self.data.get("states", {}))

    @property
    def actions(self) -> list[str]:
        """The platform's actions on it."""
        return list(self.data.get("actions", []))

    @property
    def parent_id(self) -> Optional[str]:
        """The element around it."""
        return self.data.get("parent")

    @property
    def selector(self) -> Optional[str]:
        """The selector that would find it again."""
        found = self.data.get("selector")
        return str(found["value"]) if found else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and self.data == other.data

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        name = f" {self.label!r}" if self.label is not None else ""
        return f"<{self.role}{name} {self.id}>"


class Delta:
    """What changed between two revisions. It is true if anything did; ``print`` tells it in words."""

    data: dict[str, Any]

    def __init__(self, data: dict[str, Any], words: Optional[_native.Answer] = None) -> None:
        self.data = data
        self._words = words

    @property
    def base_revision(self) -> int:
        """Where it starts."""
        return int(self.data["base_revision"])

    @property
    def revision(self) -> int:
        """Where it leads."""
        return int(self.data["snapshot_revision"])

    @property
    def added(self) -> list[Element]:
        """What is new, in document order."""
        return [Element({k: v for k, v in e.items() if k != "index"}) for e in self.data.get("added", [])]

    @property
    def removed(self) -> list[str]:
        """The ids of what is gone."""
        return list(self.data.get("removed", []))

    @property
    def moved(self) -> list[dict[str, Any]]:
        """What has another place."""
        return list(self.data.get("moved", []))

    @property
    def changed(self) -> list[dict[str, Any]]:
        """What differs: ``element_id`` and the fields with their new values, None for a field that is gone."""
        return list(self.data.get("changed", []))

    @property
    def transient(self) -> list[dict[str, Any]]:
        """What came and went in between, such as a toast."""
        return list(self.data.get("transient", []))

    def __bool__(self) -> bool:
        return any(self.data.get(part) for part in ("added", "removed", "moved", "changed", "transient", "screen"))

    def __str__(self) -> str:
        if self._words is not None:
            return self._words.text().rstrip("\n")
        parts = ("added", "removed", "moved", "changed", "transient")
        counts = [f"{len(self.data[part])} {part}" for part in parts if self.data.get(part)]
        return f"rev {self.base_revision} → {self.revision}: {', '.join(counts) or 'unchanged'}"

    def __repr__(self) -> str:
        return f"<Delta {self.base_revision} → {self.revision}>"


class Snapshot:
    """What was on the screen at one revision. Iterate over its elements, take one by its id, ``print`` it."""

    data: dict[str, Any]

    def __init__(self, data: dict[str, Any], words: Optional[_native.Answer] = None) -> None:
        self.data = data
        self._words = words
        self._by_id = {str(e["element_id"]): Element(e) for e in data["elements"]}

    @property
    def revision(self) -> int:
        """The revision that it shows."""
        return int(self.data["snapshot_revision"])

    @property
    def _screen(self) -> dict[str, Any]:
        return dict(self.data.get("screen") or {})

    @property
    def title(self) -> Optional[str]:
        """The title of the screen."""
        return self._screen.get("title")

    @property
    def url(self) -> Optional[str]:
        """The address of the screen."""
        return self._screen.get("url")

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.data.get("truncated"))

    @property
    def roots(self) -> list[Element]:
        """The outermost elements."""
        return [e for e in self if e.parent_id is None or e.parent_id not in self._by_id]

    def children(self, element: Union[Element, str]) -> list[Element]:
        """What lies directly in an element, in order."""
        around = element.id if isinstance(element, Element) else element
        return [e for e in self if e.parent_id == around]

    def parent(self, element: Union[Element, str]) -> Optional[Element]:
        """The element around another."""
        inner = element if isinstance(element, Element) else self[element]
        return self._by_id.get(inner.parent_id) if inner.parent_id is not None else None

    def __iter__(self) -> Iterator[Element]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, element_id: object) -> bool:
        return element_id in self._by_id

    def __getitem__(self, element_id: str) -> Element:
        return self._by_id[element_id]

    def apply(self, delta: Delta) -> Snapshot:
        """The snapshot that a delta leads to. The delta must start at this snapshot's revision."""
        if delta.base_revision != self.revision:
            raise ValueError(f"the delta starts at revision {delta.base_revision}, this is revision {self.revision}")
        return Snapshot({**self.data, **_applied(self.data, delta.data)})

    def __str__(self) -> str:
        if self._words is not None:
            return self._words.text().rstrip("\n")
        lines = [f"rev {self.revision} {self.title!r}" if self.title else f"rev {self.revision}"]
        depths: dict[Optional[str], int] = {}
        for element in self:
            depth = depths.get(element.parent_id, 0) + 1
            depths[element.id] = depth
            name = f' "{element.text}"' if element.text else ""
            lines.append(f"{'  ' * depth}{element.role}{name} {element.id}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Snapshot rev {self.revision}, {len(self)} elements>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _applied(before: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """The fields of a snapshot after a delta, by the rule that the engine states for it."""
    elements: dict[str, dict[str, Any]] = {e["element_id"]: dict(e) for e in before["elements"]}
    children: dict[Optional[str], list[str]] = {}
    for element in before["elements"]:
        around = element.get("parent")
        children.setdefault(around if around in elements else None, []).append(element["element_id"])
    outside = {e["element_id"]: e.get("parent") for e in before["elements"] if e.get("parent") not in elements}

    def take_out(element_id: str) -> None:
        for siblings in children.values():
            if element_id in siblings:
                siblings.remove(element_id)

    for gone in delta.get("removed", []):
        take_out(gone)
        elements.pop(gone, None)
    for moved in delta.get("moved", []):
        take_out(moved["element_id"])
    for changed in delta.get("changed", []):
        element = elements[changed["element_id"]]
        for name, value in changed.items():
            if value is None:
                element.pop(name, None)
            else:
                element[name] = value
    placed = [(e["index"], e, True) for e in delta.get("added", [])]
    placed += [(e["index"], e, False) for e in delta.get("moved", [])]
    for index, told, is_new in sorted(placed, key=lambda entry: entry[0]):
        if is_new:
            elements[told["element_id"]] = {name: value for name, value in told.items() if name != "index"}
        else:
            elements[told["element_id"]].pop("parent", None)
            if told.get("parent") is not None:
                elements[told["element_id"]]["parent"] = told["parent"]
        around = told.get("parent")
        children.setdefault(None if around in outside.values() else around, []).insert(index, told["element_id"])
    ordered: list[dict[str, Any]] = []
    stack = list(reversed(children.get(None, [])))
    while stack:
        element_id = stack.pop()
        ordered.append(elements[element_id])
        stack.extend(reversed(children.get(element_id, [])))
    fields: dict[str, Any] = {"elements": ordered, "snapshot_revision": delta["snapshot_revision"]}
    for name in ("screen", "stability_state", "loading_state", "captured_at_ms"):
        if delta.get(name) is not None:
            fields[name] = delta[name]
    return fields
