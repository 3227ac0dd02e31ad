"""UI automation without sleeps.

Stillpoint keeps a live mirror of an app's accessibility tree, numbers every meaningful change, knows when the UI has come
to rest, acts only on what it is sure of, and proves what the action did.

>>> import stillpoint as sp
>>> app = sp.connect("sim:login")
>>> _ = app.find('textbox "Username"').type("ada")
>>> _ = app.find('textbox "Password"').type("engine")
>>> _ = app.find('button "Sign in"').tap()
>>> _ = sp.expect(app.find('heading "Welcome, ada"')).to_be_visible()
>>> bool(app.wait_for_idle(timeout_ms=5000))
True
>>> app.is_idle()
True
>>> app.close()

``stillpoint.aio`` is the same with ``await``.
"""

from . import _live as _live
from ._answers import Action, Answer, Expected, Flow, Found, Idle, Wait
from ._blocking import (
    App,
    Change,
    Desktop,
    Expect,
    Locator,
    Program,
    app,
    connect,
    desktop,
    expect,
    web,
)
from ._elements import Bounds, Delta, Element, Snapshot
from ._errors import (
    ActionRejected,
    AgentUnavailable,
    AmbiguousTarget,
    BaseRevisionUnavailable,
    Cancelled,
    ControlNotConverged,
    ElementNotFound,
    HierarchyEmpty,
    Internal,
    InvalidArgument,
    InvalidSelector,
    NotActionable,
    PermissionDenied,
    PolicyDenied,
    Protocol,
    RateLimited,
    StaleReference,
    StaleRevision,
    StillpointError,
    TargetLost,
    TargetNotFound,
    TargetUnresponsive,
    Timeout,
    Unsupported,
    VerificationFailed,
)
from ._native import version as __version__
from ._picture import Screenshot

Error = StillpointError

__all__ = [
    "Action",
    "ActionRejected",
    "AgentUnavailable",
    "AmbiguousTarget",
    "Answer",
    "App",
    "BaseRevisionUnavailable",
    "Bounds",
    "Cancelled",
    "Change",
    "ControlNotConverged",
    "Delta",
    "Desktop",
    "Element",
    "ElementNotFound",
    "Error",
    "Expect",
    "Expected",
    "Flow",
    "Found",
    "HierarchyEmpty",
    "Idle",
    "Internal",
    "InvalidArgument",
    "InvalidSelector",
    "Locator",
    "NotActionable",
    "PermissionDenied",
    "PolicyDenied",
    "Program",
    "Protocol",
    "RateLimited",
    "Screenshot",
    "Snapshot",
    "StaleReference",
    "StaleRevision",
    "StillpointError",
    "TargetLost",
    "TargetNotFound",
    "TargetUnresponsive",
    "Timeout",
    "Unsupported",
    "VerificationFailed",
    "Wait",
    "__version__",
    "app",
    "connect",
    "desktop",
    "expect",
    "web",
]
