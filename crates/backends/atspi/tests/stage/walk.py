"""Walks an app with pyatspi and prints what it sees: one JSON list of [depth, role, name, states]."""
import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
import pyatspi

pid = int(sys.argv[1])
desktop = pyatspi.Registry.getDesktop(0)
app = next(a for a in desktop if a is not None and a.get_process_id() == pid)
lines = []
# GTK 4 calls visible what lies on a page that was never shown; that it has no size is the only sign.
by_size = app.get_toolkit_name().lower() == "gtk" and app.get_toolkit_version().startswith("4")
TOPLEVELS = (Atspi.Role.FRAME, Atspi.Role.DIALOG, Atspi.Role.WINDOW, Atspi.Role.ALERT, Atspi.Role.FILE_CHOOSER)


def has_no_size(node):
    place = node.get_component_iface()
    if place is None or node.getRole() in TOPLEVELS:
        return False
    size = place.get_extents(Atspi.CoordType.WINDOW)
    return size.width <= 0 or size.height <= 0


def walk(node, depth):
    states = [pyatspi.stateToString(s) for s in node.getState().getStates()]
    if by_size and "visible" in states and has_no_size(node):
        states.remove("visible")
    lines.append([depth, Atspi.role_get_name(node.getRole()), node.name or "", states])
    for index in range(min(node.childCount, 1000)):
        child = node.getChildAtIndex(index)
        if child is not None:
            walk(child, depth + 1)


walk(app, 0)
print(json.dumps(lines))
