#!/usr/bin/python3
"""The fixture app with GTK 4. What it does is in ../shared; here is only how GTK 4 does it."""

import pathlib
import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Gdk", "4.0")
from gi.repository import Gdk, GLib, GObject, Gtk

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from shared.protocol import main
from shared.toolkit import Toolkit

VERTICAL = Gtk.Orientation.VERTICAL
HORIZONTAL = Gtk.Orientation.HORIZONTAL


class Gtk4(Toolkit):
    name = "gtk4"
    version = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"

    def __init__(self):
        super().__init__()
        GLib.set_prgname("fixture-gtk4")
        GLib.set_application_name("fixture-gtk4")
        Gtk.init()
        # Nothing moves unless the scenario moves it: a blinking cursor or a fading page would.
        settings = Gtk.Settings.get_default()
        settings.set_property("gtk-enable-animations", False)
        settings.set_property("gtk-cursor-blink", False)
        self.loop = GLib.MainLoop()
        self.window = self.stack = self.dialog = None
        self.radios = {}
        self.names = {}

    # Kinds

    def make_box(self, spec):
        return Gtk.Box(orientation=VERTICAL, spacing=6)

    def make_row(self, spec):
        return Gtk.Box(orientation=HORIZONTAL, spacing=6)

    def make_group(self, spec):
        frame = Gtk.Frame(label=spec["name"])
        frame.set_child(Gtk.Box(orientation=VERTICAL, spacing=6))
        return frame

    def make_stage(self, spec):
        stage = Gtk.Fixed()
        stage.set_size_request(440, 150)
        return stage

    def make_label(self, spec):
        return Gtk.Label(label=spec["name"], xalign=0)

    def make_button(self, spec):
        button = Gtk.Button(label=spec["name"])
        button.connect("clicked", lambda *_: self.emit("activated", spec["id"]))
        return button

    def make_entry(self, spec):
        return self.editable(Gtk.Entry(placeholder_text=spec["name"]), spec)

    def make_password(self, spec):
        return self.editable(Gtk.PasswordEntry(), spec)

    def editable(self, entry, spec):
        entry.connect("changed", lambda *_: self.emit("changed", spec["id"], entry.get_text()))
        entry.connect("activate", lambda *_: self.emit("activated", spec["id"]))
        return entry

    def make_check(self, spec):
        button = Gtk.CheckButton(label=spec["name"])
        button.connect("toggled", lambda *_: self.emit("toggled", spec["id"], button.get_active()))
        return button

    def make_radio(self, spec):
        button = self.make_check(spec)
        button.set_group(self.radios.get(spec["group"]))
        if self.radios.setdefault(spec["group"], button) is button:
            button.set_active(True)
        return button

    def make_combo(self, spec):
        combo = Gtk.DropDown(model=Gtk.StringList.new(spec["options"]))
        combo.connect("notify::selected", lambda *_: self.emit("chosen", spec["id"], self.chosen(combo)))
        return combo

    def chosen(self, combo):
        return combo.get_selected_item().get_string()

    def make_slider(self, spec):
        slider = Gtk.Scale(orientation=HORIZONTAL)
        slider.set_range(0, 100)
        slider.set_increments(1, 10)
        slider.connect("value-changed", lambda *_: self.emit("moved", spec["id"], slider.get_value()))
        return slider

    def make_spin(self, spec):
        spin = Gtk.SpinButton()
        spin.set_range(0, 100)
        spin.set_increments(1, 10)
        spin.connect("value-changed", lambda *_: self.emit("moved", spec["id"], spin.get_value()))
        return spin

    def make_progress(self, spec):
        return Gtk.ProgressBar(pulse_step=0.1)

    def make_spinner(self, spec):
        return Gtk.Spinner()

    def make_list(self, spec):
        return Gtk.ListBox()

    def make_item(self, spec):
        row = Gtk.ListBoxRow()
        row.set_child(Gtk.Label(label=spec["name"], xalign=0))
        return row

    def make_rows(self, spec):
        model = Gtk.StringList.new([f"Row {number}" for number in range(1, spec["count"] + 1)])
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", lambda _, item: item.set_child(Gtk.Label(xalign=0)))
        factory.connect("bind", lambda _, item: item.get_child().set_label(item.get_item().get_string()))
        view = Gtk.ListView(model=Gtk.SingleSelection.new(model), factory=factory, single_click_activate=True)
        view.connect("activate", lambda _, position: self.emit("chosen", spec["id"], position + 1))
        scrolled = Gtk.ScrolledWindow()
        scrolled.set_child(view)
        return scrolled

    def make_source(self, spec):
        source = Gtk.Label(label=spec["name"], width_request=120)
        drag = Gtk.DragSource(actions=Gdk.DragAction.COPY)
        drag.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value(spec["name"]))
        drag.connect("drag-begin", lambda *_: self.emit("dragging", spec["id"]))
        source.add_controller(drag)
        return source

    def make_target(self, spec):
        target = Gtk.Label(label=spec["name"], height_request=80)
        drop = Gtk.DropTarget.new(GObject.TYPE_STRING, Gdk.DragAction.COPY)
        drop.connect("drop", lambda _, text, *__: self.emit("dropped", spec["id"], text) or True)
        for signal in ("enter", "motion"):
            drop.connect(signal, lambda *_: self.emit("hovered", spec["id"]) or Gdk.DragAction.COPY)
        target.add_controller(drop)
        return target

    # Widgets

    def identify(self, made, spec):
        # GTK 4.8 has no accessible ids; a button or label takes its name from its text.
        if spec["kind"] not in ("label", "button", "check", "radio", "source", "target"):
            self.call(made, spec["id"], spec["name"])

    def call(self, made, identifier, name):
        self.names[identifier] = name
        self.inner(made).update_property([Gtk.AccessibleProperty.LABEL], [name])

    def inner(self, made):
        """The widget that counts, where a scrolled window is around it."""
        return made.get_child() if isinstance(made, Gtk.ScrolledWindow) else made

    def container(self, identifier):
        made = self.widgets[identifier]
        return made.get_child() if isinstance(made, Gtk.Frame) else made

    def insert(self, parent, made, index, fills=False):
        container = self.container(parent)
        made.set_vexpand(fills)
        if isinstance(container, Gtk.Fixed):
            container.put(made, 0, 10)
        elif isinstance(container, Gtk.ListBox):
            container.insert(made, index)
        else:
            container.append(made)
            self.reorder(container, made, index)

    def reorder(self, container, made, index):
        others = [child for child in self.children(container) if child is not made]
        if index == 0:
            container.reorder_child_after(made, None)
        elif 0 < index <= len(others):
            container.reorder_child_after(made, others[index - 1])

    def children(self, container):
        child = container.get_first_child()
        while child:
            yield child
            child = child.get_next_sibling()

    def remove(self, identifier):
        made = self.forget(identifier)
        made.get_parent().remove(made)

    def move(self, identifier, parent, index):
        made, container = self.widgets[identifier], self.container(parent)
        if made.get_parent() is not container:
            made.get_parent().remove(made)
            self.insert(parent, made, index)
        else:
            self.reorder(container, made, index)

    def place(self, identifier, x, y):
        made = self.widgets[identifier]
        made.get_parent().move(made, x, y)

    def set_name(self, identifier, name):
        made = self.widgets[identifier]
        if hasattr(made, "set_label"):
            made.set_label(name)
        if identifier in self.names:
            self.call(made, identifier, name)

    def set_text(self, identifier, text):
        self.widgets[identifier].set_text(text)

    def set_visible(self, identifier, visible):
        made = self.widgets[identifier]
        made.set_visible(visible)
        if isinstance(made, Gtk.Spinner):
            made.set_spinning(visible)

    def set_enabled(self, identifier, enabled):
        self.widgets[identifier].set_sensitive(enabled)

    def set_checked(self, identifier, checked):
        self.widgets[identifier].set_active(checked)

    def set_value(self, identifier, value):
        self.widgets[identifier].set_value(value)

    def choose(self, identifier, index):
        self.widgets[identifier].set_selected(index)

    def pulse(self, identifier):
        self.widgets[identifier].pulse()

    def secret(self, identifier):
        return self.widgets[identifier].get_text()

    def state(self, identifier):
        made, kind = self.widgets[identifier], self.kind(identifier)
        state = {"enabled": made.get_sensitive(), "visible": made.get_visible()}
        state["name"] = made.get_label() if hasattr(made, "get_label") else self.names[identifier]
        if kind == "entry":
            state["text"] = made.get_text()
        elif kind == "password":
            state["length"] = len(made.get_text())
        elif kind in ("check", "radio"):
            state["checked"] = made.get_active()
        elif kind in ("slider", "spin"):
            state["value"] = made.get_value()
        elif kind == "combo":
            state["text"] = self.chosen(made)
        return state

    # Windows

    def open_window(self, pages, title):
        self.window = Gtk.Window(title=title, default_width=720, default_height=560)
        self.window.connect("close-request", lambda *_: self.loop.quit())
        shortcut = Gtk.Shortcut.new(Gtk.ShortcutTrigger.parse_string("<Control>s"),
                                    Gtk.CallbackAction.new(lambda *_: self.emit("saved", "shortcut") or True))
        shortcuts = Gtk.ShortcutController()
        shortcuts.set_scope(Gtk.ShortcutScope.GLOBAL)
        shortcuts.add_shortcut(shortcut)
        self.window.add_controller(shortcuts)
        whole = Gtk.Box(spacing=12, margin_start=8, margin_end=8, margin_top=8, margin_bottom=8)
        self.window.set_child(whole)
        buttons = Gtk.Box(orientation=VERTICAL)
        self.stack = Gtk.Stack(hexpand=True, vexpand=True)
        whole.append(buttons)
        whole.append(self.stack)
        self.widgets["pages"] = buttons
        for name, page in pages.items():
            label = f"{page['name']} page"
            self.create({"kind": "button", "id": f"page.{name}", "name": label, "children": []}, "pages")
            made = self.make(page)
            if name == "playground":
                scrolled = Gtk.ScrolledWindow()
                scrolled.set_child(made)
                made = scrolled
            self.stack.add_named(made, name)

    def show_page(self, name):
        self.stack.set_visible_child_name(name)

    def open_dialog(self, spec):
        self.dialog = Gtk.Window(title=spec["name"], transient_for=self.window, modal=True, default_width=360, default_height=240)
        self.dialog.connect("close-request", lambda *_: self.emit("activated", "settings.cancel") or True)
        self.dialog.set_child(self.make(spec))
        self.dialog.present()

    def close_dialog(self, spec):
        self.forget(spec["id"])
        self.dialog.destroy()

    # The main loop

    def later(self, milliseconds, action):
        source = GLib.timeout_add(milliseconds, lambda: action() and False)
        return lambda: GLib.source_remove(source)

    def when_idle(self, action):
        # The next frame shows what was changed; behind it, and behind all else, comes the idle handler.
        def framed(*_):
            GLib.idle_add(lambda: action() and False, priority=GLib.PRIORITY_LOW)
            return False

        self.window.add_tick_callback(framed)

    def when_free(self, action):
        GLib.idle_add(lambda: action() and False, priority=GLib.PRIORITY_LOW)

    def when_mapped(self, action):
        self.window.connect("map", lambda *_: action())
        self.window.present()

    def watch_input(self, descriptor, action):
        GLib.io_add_watch(descriptor, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, lambda *_: action())

    def run(self):
        self.loop.run()

    def quit(self):
        self.loop.quit()


if __name__ == "__main__":
    sys.exit(main(Gtk4()))
