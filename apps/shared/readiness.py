"""Whether this process is visible on the accessibility bus, told by an event, never by waiting a while."""

import os

from gi.repository import Gio, GLib

REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"


def bus_address():
    address = os.environ.get("AT_SPI_BUS_ADDRESS")
    if address:
        return address
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    return session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None,
                             Gio.DBusCallFlags.NONE, -1).unpack()[0]


class WhenVisible:
    """Calls `action` once when the registry lists this process among the applications."""

    def __init__(self, action):
        self.action = action
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(bus_address(), flags)
        # The registry announces a new application as a new child of its root.
        self.bus.signal_subscribe(None, "org.a11y.atspi.Event.Object", "ChildrenChanged", ROOT, None,
                                  Gio.DBusSignalFlags.NONE, lambda *_: self.look())
        self.look()

    def call(self, name, path, interface, method, arguments, then):
        def answered(bus, result):
            try:
                reply = bus.call_finish(result).unpack()
            except GLib.Error:
                return  # a peer that went away meanwhile is not us
            then(*reply)

        self.bus.call(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None, answered)

    def look(self):
        if self.action:
            self.call(REGISTRY, ROOT, "org.a11y.atspi.Accessible", "GetChildren", None, self.inspect)

    def inspect(self, applications):
        for name, _path in applications:
            self.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                      GLib.Variant("(s)", (name,)), self.compare)

    def compare(self, pid):
        if pid == os.getpid() and self.action:
            action, self.action = self.action, None
            # The connection has done its work; closing it leaves the bus to the app.
            self.bus.close(None, lambda bus, result: bus.close_finish(result))
            action()
