"""Which target is meant, as the one URI syntax of every face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Protocol, Union

from . import _errors


class HasSelector(Protocol):
    """What stands for an element: a locator."""

    @property
    def selector(self) -> Union[str, Mapping[str, Any]]:
        """Its selector."""
        ...


#: How an element is meant: a line such as ``button "Save"``, its fields, or a locator.
Selector = Union[str, Mapping[str, Any], HasSelector]


def selector_of(selector: Selector) -> Union[str, Mapping[str, Any]]:
    """The selector as the engine reads it."""
    return selector if isinstance(selector, (str, Mapping)) else selector.selector


def app_uri(name: Optional[str], pid: Optional[int], bundle_id: Optional[str]) -> str:
    """The URI of a desktop app."""
    given = [(word, value) for word, value in (("name", name), ("pid", pid), ("bundle_id", bundle_id)) if value is not None]
    if len(given) != 1:
        raise _errors.InvalidArgument(
            "an app is named by exactly one of name, pid and bundle_id",
            hint='sp.app(name="gedit"), sp.app(pid=4242) or sp.app(bundle_id="org.gnome.gedit")',
        )
    ((word, value),) = given
    return {"name": f"app:{value}", "pid": f"app:pid={value}", "bundle_id": f"app:bundle={value}"}[word]


def web_uri(url: str) -> str:
    """The URI of a web page in a private browser."""
    return url if url.startswith(("web:", "cdp:")) else f"web:{url}"


def settings_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings of a backend as it reads them."""
    told = {True: "true", False: "false"}
    return {name: told[value] if isinstance(value, bool) else str(value) for name, value in settings.items() if value is not None}


def element_fields(
    role: Optional[str],
    label: Optional[str],
    text: Optional[str],
    contains: Optional[str],
    resource_id: Optional[str],
    index: Optional[int],
) -> dict[str, Any]:
    """A selector from its fields."""
    fields = {"role": role, "label": label, "text": text, "contains": contains, "resource_id": resource_id, "index": index}
    given = {name: value for name, value in fields.items() if value is not None}
    if not given:
        raise _errors.InvalidArgument(
            "find was given nothing to find", hint="""app.find('button "Save"') or app.find(role="button", label="Save")"""
        )
    return given
