"""The exceptions: one for each error code of the engine.

Every one has ``code``, ``message``, ``hint``, ``retryable``, ``details`` and ``story``: what the session did and saw
before it, in words.

>>> import stillpoint as sp
>>> with sp.connect("sim:login") as app:
...     try:
...         app.find('button "Sing in"').tap(timeout_ms=0)
...     except sp.ElementNotFound as error:
...         print(error)
nothing matches button "Sing in"
hint: did you mean #signin? If it should appear later, wait for it
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Optional

from . import _native

#: So many entries of the trace are told with an error.
_ENTRIES = 12


class StillpointError(Exception):
    """What went wrong, with what to do about it. ``sp.Error`` is the same class."""

    code: str = ""
    message: str
    hint: str
    retryable: bool
    details: Optional[dict[str, Any]]
    story: str

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        retryable: bool = False,
        details: Optional[dict[str, Any]] = None,
        story: str = "",
        code: str = "",
    ) -> None:
        super().__init__(message)
        if code:
            self.code = code
        self.message = message
        self.hint = hint
        self.retryable = retryable
        self.details = details
        self.story = story
        if story and sys.version_info >= (3, 11):
            # Told below the traceback.
            self.add_note(f"What happened before:\n{story}")

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {name: getattr(self, name) for name in ("hint", "retryable", "details", "story", "code")}
        return _again, (type(self), self.message, facts)

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The elements that were near, or that match as well; each with a selector of its own."""
        facts: dict[str, Any] = self.details or {}
        return list(facts.get("candidates", []))


def _again(kind: type[StillpointError], message: str, facts: dict[str, Any]) -> StillpointError:
    return kind(message, **facts)


class InvalidArgument(StillpointError, ValueError):
    """The call makes no sense."""

    code: str = "INVALID_ARGUMENT"


class InvalidSelector(StillpointError, ValueError):
    """The selector cannot be read."""

    code: str = "INVALID_SELECTOR"


class TargetNotFound(StillpointError):
    """There is no such app, page or scene."""

    code: str = "TARGET_NOT_FOUND"


class TargetLost(StillpointError):
    """The app died, or the session was closed."""

    code: str = "TARGET_LOST"


class TargetUnresponsive(StillpointError):
    """The app does not answer."""

    code: str = "TARGET_UNRESPONSIVE"


class HierarchyEmpty(StillpointError):
    """The app exposes no accessibility tree."""

    code: str = "HIERARCHY_EMPTY"


class PermissionDenied(StillpointError):
    """The system does not allow it."""

    code: str = "PERMISSION_DENIED"


class ElementNotFound(StillpointError, LookupError):
    """Nothing matches the selector."""

    code: str = "ELEMENT_NOT_FOUND"


class AmbiguousTarget(StillpointError, LookupError):
    """Several elements match; ``candidates`` says how to tell them apart."""

    code: str = "AMBIGUOUS_TARGET"


class StaleReference(StillpointError, LookupError):
    """The element with this id is gone."""

    code: str = "STALE_REFERENCE"


class StaleRevision(StillpointError):
    """The element changed since the revision that the caller knows."""

    code: str = "STALE_REVISION"


class NotActionable(StillpointError):
    """The element cannot be acted on: hidden, disabled, covered, moving."""

    code: str = "NOT_ACTIONABLE"


class ActionRejected(StillpointError):
    """The app refused the action."""

    code: str = "ACTION_REJECTED"


class Timeout(StillpointError, TimeoutError):
    """The time was over first."""

    code: str = "TIMEOUT"


class VerificationFailed(StillpointError, AssertionError):
    """What was expected did not come true."""

    code: str = "VERIFICATION_FAILED"


class ControlNotConverged(StillpointError):
    """A control did not take the value."""

    code: str = "CONTROL_NOT_CONVERGED"


class BaseRevisionUnavailable(StillpointError):
    """The revision is too old, or never was."""

    code: str = "BASE_REVISION_UNAVAILABLE"


class Unsupported(StillpointError):
    """This kind of target cannot do that."""

    code: str = "UNSUPPORTED"


class PolicyDenied(StillpointError):
    """The policy does not allow it."""

    code: str = "POLICY_DENIED"


class RateLimited(StillpointError):
    """The policy allows fewer actions in this time."""

    code: str = "RATE_LIMITED"


class AgentUnavailable(StillpointError):
    """The agent on the other machine cannot be reached."""

    code: str = "AGENT_UNAVAILABLE"


class Protocol(StillpointError):
    """The other side does not speak as it should."""

    code: str = "PROTOCOL"


class Cancelled(StillpointError):
    """The caller gave up."""

    code: str = "CANCELLED"


class Internal(StillpointError):
    """A bug in Stillpoint."""

    code: str = "INTERNAL"


#: Every exception by its code.
BY_CODE: dict[str, type[StillpointError]] = {kind.code: kind for kind in StillpointError.__subclasses__()}

for _kind in (StillpointError, *BY_CODE.values()):
    # A traceback names them as their users do.
    _kind.__module__ = "stillpoint"


def from_json(told: str | dict[str, Any], session: _native.Session | None = None) -> StillpointError:
    """The exception for an error of the engine."""
    error: dict[str, Any] = json.loads(told) if isinstance(told, str) else told
    kind = BY_CODE.get(error["code"], StillpointError)
    return kind(
        re.sub(r"\s+$", "", error["message"]),
        hint=error.get("hint", ""),
        retryable=error.get("retryable", False),
        details=error.get("details"),
        story=story_of(session),
        code=error["code"],
    )


def story_of(session: _native.Session | None) -> str:
    """The last that happened in a session, in words."""
    if session is None:
        return ""
    try:
        return session.story(_ENTRIES).rstrip()
    except _native.EngineError:
        # A forked child cannot look at it.
        return ""
