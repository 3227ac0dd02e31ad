"""Every verb of the engine as a method. Written by tools/make_verbs.py from the engine's table; do not edit."""

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


class AppVerbs:
    """The verbs of an app."""

    _session: _native.Session

    async def wait_for_ui(
        self,
        selector: Selector,
        *,
        condition: str = "visible",
        stability_window_ms: int = 300,
        stable: bool = False,
        timeout_ms: int = 10000,
    ) -> Wait:
        """Waits until an element exists, is gone, visible, enabled, clickable, checked or has a value. It is looked at
        on every change, never on a timer. To wait for any change at all use wait_for_ui_change.

        :param selector: The element.
        :param condition: What must be true of it: exists, gone, visible, hidden, enabled, clickable, focused,
            checked, value=TEXT.
        :param stability_window_ms: How long it must be quiet to be at rest, in milliseconds; with `stable`.
        :param stable: Wait until the UI is at rest as well.
        :param timeout_ms: How long to wait at most, in milliseconds.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "condition": condition,
            "stability_window_ms": stability_window_ms,
            "stable": stable,
            "timeout_ms": timeout_ms,
        }
        return await wait(self._session, "wait_for_ui", _given(params, optional))

    async def wait_for_ui_change(
        self,
        *,
        expected_change: Optional[Literal["hierarchy_diff", "text_change", "state_change"]] = None,
        ignore: Optional[Sequence[Selector]] = None,
        mask_volatile: bool = True,
        scope: Literal["screen", "subtree", "viewport"] = "screen",
        since_revision: Optional[int] = None,
        stability_window_ms: int = 300,
        target: Optional[Selector] = None,
        timeout_ms: int = 10000,
    ) -> Wait:
        """Waits until something changed and the UI came to rest. Use it when something will happen by itself; after an
        action it is not needed, for actions settle by themselves. Give since_revision to count changes that came
        before the call.

        :param expected_change: The kind of change; any kind if left out.
        :param ignore: Elements whose changes do not count.
        :param mask_volatile: Pass over elements that change all the time, such as clocks.
        :param scope: Where changes count.
        :param since_revision: Changes after this revision count, also those that came before the call.
        :param stability_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param target: The element to watch, with scope subtree.
        :param timeout_ms: How long to wait at most, in milliseconds.
        """
        params: dict[str, Any] = {}
        optional: dict[str, Any] = {
            "expected_change": expected_change,
            "ignore": ignore,
            "mask_volatile": mask_volatile,
            "scope": scope,
            "since_revision": since_revision,
            "stability_window_ms": stability_window_ms,
            "target": target,
            "timeout_ms": timeout_ms,
        }
        return await wait(self._session, "wait_for_ui_change", _given(params, optional))

    async def wait_for_screen_change(
        self,
        previous_fingerprint: str,
        *,
        stability_window_ms: int = 300,
        timeout_ms: int = 10000,
    ) -> Wait:
        """Waits until the screen is another one than previous_fingerprint, and at rest. Use it for navigation; for a
        change within a screen use wait_for_ui_change.

        :param previous_fingerprint: The fingerprint of the screen that is to be left, from
            `get_screen_fingerprint`.
        :param stability_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long to wait at most, in milliseconds.
        """
        params: dict[str, Any] = {"previous_fingerprint": previous_fingerprint}
        optional: dict[str, Any] = {
            "stability_window_ms": stability_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await wait(self._session, "wait_for_screen_change", _given(params, optional))

    async def wait_for_idle(
        self,
        *,
        ignore: Optional[Sequence[Selector]] = None,
        mask_volatile: bool = True,
        stability_window_ms: int = 300,
        timeout_ms: int = 10000,
    ) -> Wait:
        """Waits until the UI is at rest: by the app's own word where it gives one, else by a quiet window. Use it
        before a first look at an app that is starting. To wait for something in particular use wait_for_ui; to wait
        for any change use wait_for_ui_change.

        :param ignore: Elements whose changes do not count.
        :param mask_volatile: Pass over elements that change all the time, such as clocks.
        :param stability_window_ms: How long it must be quiet to be at rest, in milliseconds; not needed where the
            app says itself that it is idle.
        :param timeout_ms: How long to wait at most, in milliseconds.
        """
        params: dict[str, Any] = {}
        optional: dict[str, Any] = {
            "ignore": ignore,
            "mask_volatile": mask_volatile,
            "stability_window_ms": stability_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await wait(self._session, "wait_for_idle", _given(params, optional))

    async def get_screen_fingerprint(
        self,
    ) -> Answer:
        """Gives a short code for the screen that is shown, the same whenever the same screen is shown. Take it before
        an action, and give it to wait_for_screen_change or expect_screen after it.
        """
        params: dict[str, Any] = {}
        return await look(self._session, "get_screen_fingerprint", params)

    async def tap(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Taps or clicks an element once, waits until the UI is at rest, and tells what changed. Refuses when the
        selector is ambiguous, the element is disabled, covered or moving. Give expect to have the outcome verified
        in the same call.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "tap", _given(params, optional))

    async def double_tap(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Taps an element twice, quickly. Use it where a single tap only selects.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "double_tap", _given(params, optional))

    async def right_click(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Opens the context menu of an element.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "right_click", _given(params, optional))

    async def long_press(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Presses an element and holds it for 0.8 s. Use it on touch screens where a context menu is meant.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "long_press", _given(params, optional))

    async def hover(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Puts the pointer over an element, as for a tooltip or a menu that opens by itself.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "hover", _given(params, optional))

    async def focus(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Gives an element the keyboard focus. Not needed before type_text, which does it by itself.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "focus", _given(params, optional))

    async def type_text(
        self,
        text: str,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        replace: bool = True,
        selector: Optional[Selector] = None,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Types text into a field, in place of what is there unless replace is false, and reads it back. For sliders,
        check boxes and combo boxes use set_value; for Enter and shortcuts press_key.

        :param text: What to type.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param replace: Replace what is there (true) or add to it (false).
        :param selector: The field; left out, it goes to whoever has the focus.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"text": text}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "replace": replace,
            "selector": selector,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "type_text", _given(params, optional))

    async def press_key(
        self,
        key: str,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        selector: Optional[Selector] = None,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Presses a key or a chord, such as Enter or ctrl+s. To type text use type_text.

        :param key: The key: Enter, Escape, `ArrowDown`, F5, a, ctrl+s, ctrl+shift+Tab.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param selector: The element that gets it; left out, it goes to whoever has the focus.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"key": key}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "selector": selector,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "press_key", _given(params, optional))

    async def set_value(
        self,
        selector: Selector,
        value: Union[bool, float, str],
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Sets a slider, spin button, text field, check box, combo box or date field, reads it back, and tries again
        up to five times. `37%` is a share of the control's range. For typing as a person does use type_text.

        :param selector: The control.
        :param value: What it is set to.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector, "value": value}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "set_value", _given(params, optional))

    async def toggle(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Changes a check box, switch or toggle button to its other state, and checks that it changed. To reach a
        certain state whatever it is now, use set_value with true or false.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "toggle", _given(params, optional))

    async def select(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Selects an option, a row, a tab or a list item. To choose from a closed combo box use set_value with the
        option's text.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "select", _given(params, optional))

    async def expand(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        open: bool = True,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Opens or closes a tree item, a menu, a combo box or a disclosure, and checks that it is open or closed.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param open: Open it (true) or close it (false).
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "open": open,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "expand", _given(params, optional))

    async def scroll(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        dx: int = 0,
        dy: int = 0,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Turns the wheel over an element by some pixels. To bring a certain element into view use scroll_to.

        :param selector: The element over which the wheel is turned.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param dx: Pixels to the right.
        :param dy: Pixels down.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "dx": dx,
            "dy": dy,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "scroll", _given(params, optional))

    async def scroll_to(
        self,
        selector: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Scrolls until an element is on screen. Not needed before a tap, which does it by itself.

        :param selector: The element.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "scroll_to", _given(params, optional))

    async def drag(
        self,
        selector: Selector,
        to: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        duration_ms: int = 200,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Drags one element onto another. To move a slider use set_value; to scroll use scroll_to or scroll.

        :param selector: What to take.
        :param to: Where to drop it.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param duration_ms: How long the way takes, in milliseconds.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": selector, "to": to}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "duration_ms": duration_ms,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "drag", _given(params, optional))

    async def swipe(
        self,
        from_x: int,
        from_y: int,
        to_x: int,
        to_y: int,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        duration_ms: int = 200,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Moves a finger, or the pressed pointer, from one point to another. To bring an element into view use
        scroll_to.

        :param from_x: Where it begins, pixels from the left.
        :param from_y: Where it begins, pixels from the top.
        :param to_x: Where it ends, pixels from the left.
        :param to_y: Where it ends, pixels from the top.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param duration_ms: How long it takes, in milliseconds.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "duration_ms": duration_ms,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "swipe", _given(params, optional))

    async def tap_at(
        self,
        x: int,
        y: int,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Taps a point of the screen. Only for what has no element, such as a canvas: nothing can be checked
        beforehand. For everything else use tap.

        :param x: Pixels from the left edge of the screen.
        :param y: Pixels from the top edge of the screen.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"x": x, "y": y}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "tap_at", _given(params, optional))

    async def expect_screen(
        self,
        *,
        fingerprint: Optional[str] = None,
        timeout_ms: int = 10000,
        title: Optional[str] = None,
        url: Optional[str] = None,
    ) -> Expected:
        """Verifies which screen is shown, by its title, address or fingerprint, waiting for it if need be. To verify
        what is on the screen use expect_element_visible or expect_state.

        :param fingerprint: Its fingerprint, from `get_screen_fingerprint`.
        :param timeout_ms: How long it may take, in milliseconds.
        :param title: Its title.
        :param url: Its address, or how that begins.
        """
        params: dict[str, Any] = {}
        optional: dict[str, Any] = {
            "fingerprint": fingerprint,
            "timeout_ms": timeout_ms,
            "title": title,
            "url": url,
        }
        return await verify(self._session, "expect_screen", _given(params, optional))

    async def expect_element_visible(
        self,
        selector: Selector,
        *,
        timeout_ms: int = 10000,
    ) -> Expected:
        """Verifies that an element is visible, waiting for it if need be. To verify a state or a value use
        expect_state.

        :param selector: The element.
        :param timeout_ms: How long it may take, in milliseconds.
        """
        params: dict[str, Any] = {"selector": selector}
        optional: dict[str, Any] = {
            "timeout_ms": timeout_ms,
        }
        return await verify(self._session, "expect_element_visible", _given(params, optional))

    async def expect_state(
        self,
        selector: Selector,
        property: Literal["checked", "selected", "focused", "expanded", "enabled", "text_value", "value", "raw_value"],
        expected: Any,
        *,
        timeout_ms: int = 10000,
    ) -> Expected:
        """Verifies a state or a value of an element, waiting for it if need be; a failure tells what was seen. To wait
        for what comes by itself use wait_for_ui.

        :param selector: The element.
        :param property: The property: checked, selected, focused, expanded, enabled, `text_value`, value,
            `raw_value`.
        :param expected: What it must be.
        :param timeout_ms: How long it may take, in milliseconds.
        """
        params: dict[str, Any] = {"selector": selector, "property": property, "expected": expected}
        optional: dict[str, Any] = {
            "timeout_ms": timeout_ms,
        }
        return await verify(self._session, "expect_state", _given(params, optional))

    async def classify_action_outcome(
        self,
        *,
        action_id: Optional[str] = None,
        network: Optional[Sequence[Mapping[str, Any]]] = None,
        ui_changed: Optional[bool] = None,
    ) -> Answer:
        """Says what came of an action: success, no_op, ui_failure, backend_failure or unknown, with reasons. Use it
        when an action's effect is not visible; where it is, give expect in the action itself.

        :param action_id: The action's name, from its envelope.
        :param network: Requests that the app made after it.
        :param ui_changed: Whether the UI changed, where the action was not one of ours.
        """
        params: dict[str, Any] = {}
        optional: dict[str, Any] = {
            "action_id": action_id,
            "network": network,
            "ui_changed": ui_changed,
        }
        return await look(self._session, "classify_action_outcome", _given(params, optional))

    async def get_network_activity(
        self,
        *,
        since: int = 0,
    ) -> Answer:
        """Lists the requests that the app sent. What the UI shows is better evidence: use this only where an action
        has no visible effect. Only web pages can tell.

        :param since: Milliseconds of the session, such as an answer's `captured_at_ms`; 0 is its start.
        """
        params: dict[str, Any] = {}
        optional: dict[str, Any] = {
            "since": since,
        }
        return await look(self._session, "get_network_activity", _given(params, optional))


class LocatorVerbs:
    """The verbs of one element."""

    _session: _native.Session

    @property
    def selector(self) -> Union[str, Mapping[str, Any]]:
        """What finds it."""
        raise NotImplementedError

    async def wait_for(
        self,
        *,
        condition: str = "visible",
        stability_window_ms: int = 300,
        stable: bool = False,
        timeout_ms: int = 10000,
    ) -> Wait:
        """Waits until an element exists, is gone, visible, enabled, clickable, checked or has a value. It is looked at
        on every change, never on a timer. To wait for any change at all use wait_for_ui_change.

        :param condition: What must be true of it: exists, gone, visible, hidden, enabled, clickable, focused,
            checked, value=TEXT.
        :param stability_window_ms: How long it must be quiet to be at rest, in milliseconds; with `stable`.
        :param stable: Wait until the UI is at rest as well.
        :param timeout_ms: How long to wait at most, in milliseconds.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "condition": condition,
            "stability_window_ms": stability_window_ms,
            "stable": stable,
            "timeout_ms": timeout_ms,
        }
        return await insist(self._session, "wait_for_ui", _given(params, optional))

    async def tap(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Taps or clicks an element once, waits until the UI is at rest, and tells what changed. Refuses when the
        selector is ambiguous, the element is disabled, covered or moving. Give expect to have the outcome verified
        in the same call.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "tap", _given(params, optional))

    async def double_tap(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Taps an element twice, quickly. Use it where a single tap only selects.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "double_tap", _given(params, optional))

    async def right_click(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Opens the context menu of an element.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "right_click", _given(params, optional))

    async def long_press(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Presses an element and holds it for 0.8 s. Use it on touch screens where a context menu is meant.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "long_press", _given(params, optional))

    async def hover(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Puts the pointer over an element, as for a tooltip or a menu that opens by itself.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "hover", _given(params, optional))

    async def focus(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Gives an element the keyboard focus. Not needed before type_text, which does it by itself.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "focus", _given(params, optional))

    async def type(
        self,
        text: str,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        replace: bool = True,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Types text into a field, in place of what is there unless replace is false, and reads it back. For sliders,
        check boxes and combo boxes use set_value; for Enter and shortcuts press_key.

        :param text: What to type.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param replace: Replace what is there (true) or add to it (false).
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector, "text": text}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "replace": replace,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "type_text", _given(params, optional))

    async def press(
        self,
        key: str,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Presses a key or a chord, such as Enter or ctrl+s. To type text use type_text.

        :param key: The key: Enter, Escape, `ArrowDown`, F5, a, ctrl+s, ctrl+shift+Tab.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector, "key": key}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "press_key", _given(params, optional))

    async def set(
        self,
        value: Union[bool, float, str],
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Sets a slider, spin button, text field, check box, combo box or date field, reads it back, and tries again
        up to five times. `37%` is a share of the control's range. For typing as a person does use type_text.

        :param value: What it is set to.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector, "value": value}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "set_value", _given(params, optional))

    async def toggle(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Changes a check box, switch or toggle button to its other state, and checks that it changed. To reach a
        certain state whatever it is now, use set_value with true or false.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "toggle", _given(params, optional))

    async def select(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Selects an option, a row, a tab or a list item. To choose from a closed combo box use set_value with the
        option's text.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "select", _given(params, optional))

    async def expand(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        open: bool = True,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Opens or closes a tree item, a menu, a combo box or a disclosure, and checks that it is open or closed.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param open: Open it (true) or close it (false).
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "open": open,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "expand", _given(params, optional))

    async def scroll(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        dx: int = 0,
        dy: int = 0,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Turns the wheel over an element by some pixels. To bring a certain element into view use scroll_to.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param dx: Pixels to the right.
        :param dy: Pixels down.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "dx": dx,
            "dy": dy,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "scroll", _given(params, optional))

    async def scroll_to(
        self,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Scrolls until an element is on screen. Not needed before a tap, which does it by itself.

        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "scroll_to", _given(params, optional))

    async def drag(
        self,
        to: Selector,
        *,
        confirm: bool = False,
        dry_run: bool = False,
        duration_ms: int = 200,
        expect: Optional[Union[Selector, Mapping[str, Any]]] = None,
        expected_revision: Optional[int] = None,
        fingerprint: Optional[Mapping[str, Any]] = None,
        heal: bool = False,
        settle: Literal["auto", "none"] = "auto",
        settle_timeout_ms: int = 5000,
        settle_window_ms: int = 150,
        timeout_ms: int = 5000,
    ) -> Action:
        """Drags one element onto another. To move a slider use set_value; to scroll use scroll_to or scroll.

        :param to: Where to drop it.
        :param confirm: Do it although the policy holds it for destructive.
        :param dry_run: Only find out whether it could be done; nothing is dispatched.
        :param duration_ms: How long the way takes, in milliseconds.
        :param expect: What must be true afterwards: a selector that must be visible, or an object.
        :param expected_revision: Refuse if the target changed since this revision.
        :param fingerprint: What was recorded of the target, from `find_element` with fingerprint: true.
        :param heal: Where the selector finds nothing, take the element that `fingerprint` surely is.
        :param settle: Wait until the UI is at rest afterwards (auto), or not (none).
        :param settle_timeout_ms: How long settling may take at most, in milliseconds.
        :param settle_window_ms: How long it must be quiet to be at rest, in milliseconds.
        :param timeout_ms: How long the target may take to become ready, in milliseconds. After that nothing is
            dispatched.
        """
        params: dict[str, Any] = {"selector": self.selector, "to": to}
        optional: dict[str, Any] = {
            "confirm": confirm,
            "dry_run": dry_run,
            "duration_ms": duration_ms,
            "expect": expect,
            "expected_revision": expected_revision,
            "fingerprint": fingerprint,
            "heal": heal,
            "settle": settle,
            "settle_timeout_ms": settle_timeout_ms,
            "settle_window_ms": settle_window_ms,
            "timeout_ms": timeout_ms,
        }
        return await act(self._session, "drag", _given(params, optional))
