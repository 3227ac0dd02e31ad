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


def walk(node, depth):
    states = [pyatspi.stateToString(s) for s in node.getState().getStates()]
    lines.append([depth, Atspi.role_get_name(node.getRole()), node.name or "", states])
    for index in range(min(node.childCount, 1000)):
        child = node.getChildAtIndex(index)
        if child is not None:
            walk(child, depth + 1)


walk(app, 0)
print(json.dumps(lines))
