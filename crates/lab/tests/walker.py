"""An independent look at an application on the accessibility bus, with Debian's libatspi.

walker.py PID tree            every node below the application that is showing, as JSON
walker.py PID press ROLE NAME clicks the one showing node with that role and name
walker.py PID where ROLE NAME prints where it is, on the `screen` or in its `window`: which, x y width height
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi


def application(pid):
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        child = desktop.get_child_at_index(index)
        if child.get_process_id() == pid:
            return child
    sys.exit(f"no application with pid {pid} on the accessibility bus")


def below(node):
    for index in range(min(node.get_child_count(), 200)):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child
            yield from below(child)


def is_showing(node, toolkit):
    states = node.get_state_set()
    if toolkit == "GTK" and states.contains(Atspi.StateType.VISIBLE):
        # GTK 4.8 says SHOWING of windows only; what is on a hidden page has no size, and a GtkStackPage no place.
        if node.get_component_iface() is None:
            return False
        extents = node.get_extents(Atspi.CoordType.WINDOW)
        return extents.width > 0 and extents.height > 0
    return states.contains(Atspi.StateType.SHOWING)


def describe(node):
    return {"role": node.get_role_name(), "name": node.get_name(), "id": node.get_accessible_id()}


def click(node):
    names = [node.get_action_name(index).lower() for index in range(node.get_n_actions())]
    for index, name in enumerate(names):
        if name in ("click", "press"):
            return node.do_action(index)
    sys.exit(f"no click among its actions {names}")


def main(pid, verb, role=None, name=None):
    app = application(int(pid))
    toolkit = app.get_toolkit_name()
    nodes = [node for node in below(app) if is_showing(node, toolkit)]
    if verb == "tree":
        print(json.dumps({"application": app.get_name(), "nodes": [describe(node) for node in nodes]}))
        return
    found = [node for node in nodes if node.get_name() == name and node.get_role_name() == role]
    if len(found) != 1:
        sys.exit(f"{len(found)} nodes are a {role} {name!r}: {[describe(node) for node in nodes]}")
    if verb == "where":
        # GTK 4 knows no screen positions; Qt 5 answers with them even when asked for those in the window.
        which = "window" if toolkit == "GTK" else "screen"
        extents = found[0].get_extents(getattr(Atspi.CoordType, which.upper()))
        print(which, extents.x, extents.y, extents.width, extents.height)
    elif not click(found[0]):
        sys.exit("the action was refused")


main(*sys.argv[1:])
