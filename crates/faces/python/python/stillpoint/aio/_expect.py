"""Expectations: they wait until they hold, and fail with what was seen instead."""

from __future__ import annotations

from typing import Any, Optional, Union

from .. import _errors
from .._answers import Expected, Wait
from ._calls import insist, verify
from ._locator import Locator


class Expect:
    """What must become true of an element. The engine waits for it on every change; nothing is polled.

    >>> from stillpoint import aio
    >>> from stillpoint.aio import expect
    >>> app = await aio.connect("sim:login")
    >>> _ = await expect(app.find("#banner")).to_have_text("Ready")
    >>> _ = await expect(app.find('button "Sign in"')).to_be_disabled()
    >>> try:
    ...     await expect(app.find("#username")).to_have_value("ada", timeout_ms=1000)
    ... except AssertionError as error:
    ...     print(error.message)
    expected textbox "Username" (e9) to be value "ada", but that is not known
    >>> await app.close()
    """

    def __init__(self, locator: Locator, timeout_ms: Optional[int] = None) -> None:
        self._locator = locator
        self._timeout = {} if timeout_ms is None else {"timeout_ms": timeout_ms}

    def _params(self, timeout_ms: Optional[int], **more: Any) -> dict[str, Any]:
        told = self._timeout if timeout_ms is None else {"timeout_ms": timeout_ms}
        return {"selector": self._locator.selector, **told, **more}

    async def _state(self, timeout_ms: Optional[int], name: str, expected: Any) -> Expected:
        params = self._params(timeout_ms, property=name, expected=expected)
        return await verify(self._locator._session, "expect_state", params)

    async def _condition(self, timeout_ms: Optional[int], condition: str) -> Wait:
        try:
            return await insist(self._locator._session, "wait_for_ui", self._params(timeout_ms, condition=condition))
        except _errors.Timeout as late:
            raise _errors.VerificationFailed(
                late.message, hint=late.hint, retryable=late.retryable, details=late.details, story=late.story
            ) from None

    async def to_be_visible(self, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is shown."""
        return await verify(self._locator._session, "expect_element_visible", self._params(timeout_ms))

    async def to_be_hidden(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """It is not shown, or not there at all."""
        return await self._condition(timeout_ms, "hidden")

    async def to_exist(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """It is there, shown or not."""
        return await self._condition(timeout_ms, "exists")

    async def to_be_gone(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """It is not there."""
        return await self._condition(timeout_ms, "gone")

    async def to_be_clickable(self, *, timeout_ms: Optional[int] = None) -> Wait:
        """A tap could be dispatched to it."""
        return await self._condition(timeout_ms, "clickable")

    async def to_be_enabled(self, *, timeout_ms: Optional[int] = None) -> Expected:
        """It can be used."""
        return await self._state(timeout_ms, "enabled", True)

    async def to_be_disabled(self, *, timeout_ms: Optional[int] = None) -> Expected:
        """It cannot be used."""
        return await self._state(timeout_ms, "enabled", False)

    async def to_be_checked(self, checked: Union[bool, str] = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is checked; or it is not (``False``), or neither (``"mixed"``)."""
        return await self._state(timeout_ms, "checked", checked)

    async def to_be_selected(self, selected: bool = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is selected, or not."""
        return await self._state(timeout_ms, "selected", selected)

    async def to_be_focused(self, focused: bool = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It has the keyboard, or not."""
        return await self._state(timeout_ms, "focused", focused)

    async def to_be_expanded(self, expanded: bool = True, *, timeout_ms: Optional[int] = None) -> Expected:
        """It is open, or not."""
        return await self._state(timeout_ms, "expanded", expanded)

    async def to_have_text(self, text: str, *, timeout_ms: Optional[int] = None) -> Expected:
        """It shows exactly this."""
        return await self._state(timeout_ms, "text_value", text)

    async def to_have_value(self, value: Union[str, float], *, timeout_ms: Optional[int] = None) -> Expected:
        """Its value is this, as it is shown or as a number."""
        return await self._state(timeout_ms, "value", value)

    async def to_have_raw_value(self, value: float, *, timeout_ms: Optional[int] = None) -> Expected:
        """Its value as a number is this."""
        return await self._state(timeout_ms, "raw_value", value)


def expect(locator: Locator, *, timeout_ms: Optional[int] = None) -> Expect:
    """Begins an expectation: ``await expect(app.find("#save")).to_be_enabled()``."""
    return Expect(locator, timeout_ms)
