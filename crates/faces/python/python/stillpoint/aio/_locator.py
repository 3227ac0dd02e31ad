"""Locators: elements that are found at the moment in which they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from .. import _errors
from .._answers import Found
from .._elements import Bounds, Element, State
from .._picture import Screenshot
from ._asking import ask, find_one
from ._verbs import LocatorVerbs

if TYPE_CHECKING:
    from ._app import App


class Locator(LocatorVerbs):
    """An element that is looked for each time it is used. Several matches are an error, never a choice.

    >>> import stillpoint
    >>> from stillpoint import aio
    >>> app = await aio.connect("sim:two_buttons")
    >>> apply = app.find('button "Apply"')
    >>> await apply.count()
    2
    >>> try:
    ...     await apply.tap()
    ... except stillpoint.AmbiguousTarget as error:
    ...     print(error.hint)
    use a selector that means one of them, for example #display >> button "Apply"
    >>> (await apply.nth(1).element()).role
    'button'
    >>> await app.close()
    """

    app: App

    def __init__(self, app: App, selector: Union[str, Mapping[str, Any]]) -> None:
        self.app = app
        self._session = app._session
        self._selector = selector

    @property
    def selector(self) -> Union[str, Mapping[str, Any]]:
        """What finds it."""
        return self._selector

    def find(self, selector: str) -> Locator:
        """An element inside of this one."""
        return Locator(self.app, f"{self._line('an element inside')} >> {selector}")

    def nth(self, index: int) -> Locator:
        """One of several matches, counted from 0."""
        return Locator(self.app, f"{self._line('one of several')}[{index}]")

    def _line(self, wanted: str) -> str:
        if isinstance(self._selector, str):
            return self._selector
        raise _errors.InvalidSelector(
            f"{wanted} needs a selector that is written as a line", hint="""app.find('dialog "Settings"').find('button "OK"')"""
        )

    async def element(self) -> Element:
        """It as it is now. Nothing, or several, is an error."""
        return Element(await find_one(self._session, self._selector))

    async def all(self, limit: int = 1000) -> list[Element]:
        """All matches as they are now; none is an empty list."""
        try:
            return Found(await ask(self._session, "find_element", {"selector": self._selector, "limit": limit})).elements
        except (_errors.ElementNotFound, _errors.StaleReference):
            return []

    async def count(self) -> int:
        """How many elements match now."""
        try:
            return Found(await ask(self._session, "find_element", {"selector": self._selector, "limit": 0})).count
        except (_errors.ElementNotFound, _errors.StaleReference):
            return 0

    async def exists(self) -> bool:
        """Whether anything matches now, shown or not. To wait for it use :meth:`wait_for` or ``expect``."""
        return await self.count() > 0

    @property
    async def text(self) -> str:
        """What it shows now: its text, else its value, else its label."""
        return (await self.element()).text

    @property
    async def label(self) -> Optional[str]:
        """Its accessible name now."""
        return (await self.element()).label

    @property
    async def value(self) -> Optional[str]:
        """Its value now, as it is shown."""
        return (await self.element()).value

    @property
    async def state(self) -> dict[str, State]:
        """Its states now, as far as they are known; absent is not false."""
        return (await self.element()).state

    @property
    async def bounds(self) -> Optional[Bounds]:
        """Where it is now."""
        return (await self.element()).bounds

    async def screenshot(self) -> Screenshot:
        """A picture of it."""
        return await self.app.screenshot(self)

    def __repr__(self) -> str:
        return f"<Locator {self._selector} in {self.app.target}>"
