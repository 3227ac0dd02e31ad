# Written by tools/make_blocking.py from aio/_expect.py; do not edit.
"""Expectations: they wait until they hold, and fail with what was seen instead."""

from __future__ import annotations

from typing import Any, Optional, Union

from .. import _errors
from .._answers import Expected, Wait
from ._calls import insist, verify
from ._locator import Locator


class Expect:
    """What must become true of an element. The engine waits for it on every change; nothing is polled.

    >>> import stillpoint as sp
    >>> from stillpoint import expect
    >>> app = sp.connect("sim:login")
    >>> _ = expect(app.find("#banner")).to_have_text("Ready")
    >>> _ = expect(app.find('button "Sign in"')).to_be_disabled()
    >>> try:
    ...     expect(app.find("#username")).to_have_value("ada", timeout_ms=1000)
    ... except AssertionError as error:
    ...     print(error.message)
    expected textbox "Username" (e9) to be value "ada", but that is not known
    >>> app.close()
    """

    def __init__(self, locator: Locator, timeout_ms: Optional[int] = None) -> None:
        self._locator = locator
        self._timeout = {} if timeout_ms is None else {"timeout_ms": timeout_ms}

    def _params(self, timeout_ms: Optional[int], **more: Any) -> dict[str, Any]:
        told = self._timeout if timeout_ms is None else {"timeout_ms": timeout_ms}
        return {"selector": self._locator.selector, **told, **more}

    def _state(self, timeout_ms: Optional[int], name: str, expected: Any) -> Expected:
        params = self._params(timeout_ms, property=name, expected=expected)
        return verify(self._locator._session, "expect_state", params)

    def _condition(self, timeout_ms: Optional[int], condition: str) -> Wait:
        try:
            return insist(self._locator._session, "wait_for_ui", self._params(timeout_ms, condition=condition))
        except _errors.Timeout as late:
            raise _errors.VerificationFailed(
                late.message, hint=late.hint, retryable=late.retryable, details=late.details, story=late.story
            ) from None

    def to_be_visible(self, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is shown."""
        return verify(self._locator._session, "expect_element_visible", self._params(timeout_ms))

    def to_be_hidden(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """It is not shown, or not there at all."""
        return self._condition(timeout_ms, "hidden")

    def to_exist(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """It is there, shown or not."""
        return self._condition(timeout_ms, "exists")

    def to_be_gone(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """It is not there."""
        return self._condition(timeout_ms, "gone")

    def to_be_clickable(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """A tap could be dispatched to it."""
        return self._condition(timeout_ms, "clickable")

    def to_be_enabled(self, *, timeout_ms: Optional[int] = None) -> Expected:
        """It can be used."""
        return self._state(timeout_ms, "enabled", True)

    def to_be_disabled(self, *, timeout_ms: Optional[int] = None) -> Expected:
        """It cannot be used."""
        return self._state(timeout_ms, "enabled", False)

    def to_be_checked(self, checked: Union[bool, str] = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is checked; or it is not (``False``), or neither (``"mixed"``)."""
        return self._state(timeout_ms, "checked", checked)

    def to_be_selected(self, selected: bool = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is selected, or not."""
        return self._state(timeout_ms, "selected", selected)

    def to_be_focused(self, focused: bool = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It has the keyboard, or not."""
        return self._state(timeout_ms, "focused", focused)

    def to_be_expanded(self, expanded: bool = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is open, or not."""
        return self._state(timeout_ms, "expanded", expanded)

    def to_have_text(self, text: str, *, timeout_ms: Optional[int] = None) -> Expected:
        """It shows exactly this."""
        return self._state(timeout_ms, "text_value", text)

    def to_have_value(self, value: Union[str, float], *, timeout_ms: Optional[int] = None) -> Expected:
        """Its value is this, as it is shown or as a number."""
        return self._state(timeout_ms, "value", value)

    def to_have_raw_value(self, value: float, *, timeout_ms: Optional[int] = None) -> Expected:
        """Its value as a number is this."""
        return self._state(timeout_ms, "raw_value", value)


def expect(locator: Locator, *, timeout_ms: Optional[int] = None) -> Expect:
    """Begins an expectation: ``expect(app.find("#save")).to_be_enabled()``."""
    return Expect(locator, timeout_ms)
