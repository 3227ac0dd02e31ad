#!/usr/bin/python3
"""The fixture app with GTK 3. What it does is in ../shared; here is only how GTK 3 does it."""

import pathlib
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from shared.protocol import main
from shared.toolkit import Toolkit

CARD = [Gtk.TargetEntry.new("text/plain", 0, 0)]


def draw_plainly():
    """Without the theme's rounded corners and shadows, which take up to 15 ms for each frame without a graphics card."""
    style = Gtk.CssProvider()
    style.load_from_data(b"* { border-radius: 0; box-shadow: none; text-shadow: none; background-image: none; -gtk-icon-shadow: none; }")
    Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)


class Gtk3(Toolkit):
    name = "gtk3"
    version = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"

    def __init__(self):
        super().__init__()
        GLib.set_prgname("fixture-gtk3")
        GLib.set_application_name("fixture-gtk3")
        Gtk.init([])
        # Nothing moves unless the scenario moves it: a blinking cursor or a fading page would.
        settings = Gtk.Settings.get_default()
        settings.set_property("gtk-enable-animations", False)
        settings.set_property("gtk-cursor-blink", False)
        draw_plainly()
        self.loop = GLib.MainLoop()
        self.window = self.stack = self.dialog = None
        self.radios = {}

    # Kinds

    def make_box(self, spec):
        return Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)

    def make_row(self, spec):
        return Gtk.Box(orientation=Gtk.Orientation.HORIZONTAL, spacing=6)

    def make_group(self, spec):
        frame = Gtk.Frame(label=spec["name"])
        frame.add(Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, margin=6, visible=True))
        return frame

    def make_stage(self, spec):
        stage = Gtk.Fixed()
        stage.set_size_request(440, 150)
        return stage

    def make_label(self, spec):
        return Gtk.Label(label=spec["name"], xalign=0)

    def make_button(self, spec):
        return self.clickable(Gtk.Button(label=spec["name"]), spec)

    def clickable(self, button, spec):
        button.connect("clicked", lambda *_: self.emit("activated", spec["id"]))
        return button

    def make_entry(self, spec):
        entry = Gtk.Entry(placeholder_text=spec["name"])
        entry.connect("changed", lambda *_: self.emit("changed", spec["id"], entry.get_text()))
        entry.connect("activate", lambda *_: self.emit("activated", spec["id"]))
        return entry

    def make_password(self, spec):
        entry = self.make_entry(spec)
        entry.set_visibility(False)
        entry.set_input_purpose(Gtk.InputPurpose.PASSWORD)
        return entry

    def make_check(self, spec):
        return self.toggling(Gtk.CheckButton(label=spec["name"]), spec)

    def make_radio(self, spec):
        radio = Gtk.RadioButton.new_with_label_from_widget(self.radios.get(spec["group"]), spec["name"])
        self.radios.setdefault(spec["group"], radio)
        return self.toggling(radio, spec)

    def toggling(self, button, spec):
        button.connect("toggled", lambda *_: self.emit("toggled", spec["id"], button.get_active()))
        return button

    def make_combo(self, spec):
        combo = Gtk.ComboBoxText()
        for option in spec["options"]:
            combo.append_text(option)
        combo.set_active(0)
        combo.connect("changed", lambda *_: self.emit("chosen", spec["id"], combo.get_active_text()))
        return combo

    def make_slider(self, spec):
        slider = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
        slider.connect("value-changed", lambda *_: self.emit("moved", spec["id"], slider.get_value()))
        return slider

    def make_spin(self, spec):
        spin = Gtk.SpinButton.new_with_range(0, 100, 1)
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
        row.add(Gtk.Label(label=spec["name"], xalign=0, visible=True))
        return row

    def make_rows(self, spec):
        model = Gtk.ListStore(str)
        for number in range(1, spec["count"] + 1):
            model.append([f"Row {number}"])
        view = Gtk.TreeView(model=model, headers_visible=False, visible=True, activate_on_single_click=True)
        view.append_column(Gtk.TreeViewColumn("Row", Gtk.CellRendererText(), text=0))
        view.connect("row-activated", lambda _, path, __: self.emit("chosen", spec["id"], path.get_indices()[0] + 1))
        scrolled = Gtk.ScrolledWindow(vexpand=True)
        scrolled.add(view)
        return scrolled

    def make_source(self, spec):
        source = Gtk.Button(label=spec["name"])
        source.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, CARD, Gdk.DragAction.COPY)
        source.connect("drag-begin", lambda *_: self.emit("dragging", spec["id"]))
        source.connect("drag-data-get", lambda _w, _c, data, *_: data.set(data.get_target(), 8, spec["name"].encode()))
        return self.clickable(source, spec)

    def make_target(self, spec):
        target = Gtk.Button(label=spec["name"])
        target.set_size_request(-1, 80)
        target.drag_dest_set(Gtk.DestDefaults.ALL, CARD, Gdk.DragAction.COPY)
        target.connect("drag-motion", lambda *_: self.emit("hovered", spec["id"]) or False)
        target.connect("drag-data-received", lambda _w, _c, _x, _y, data, *_: self.emit(
            "dropped", spec["id"], data.get_data().decode()))
        return self.clickable(target, spec)

    # Widgets

    def identify(self, made, spec):
        # ATK has accessible ids since 2.34; a button or label takes its name from its text.
        accessible = self.inner(made).get_accessible()
        accessible.set_accessible_id(spec["id"])
        if spec["kind"] not in ("label", "button", "check", "radio", "group", "source", "target"):
            accessible.set_name(spec["name"])

    def inner(self, made):
        """The widget that counts, where a scrolled window is around it."""
        return made.get_child() if isinstance(made, Gtk.ScrolledWindow) else made

    def container(self, identifier):
        made = self.widgets[identifier]
        return made.get_child() if isinstance(made, Gtk.Frame) else made

    def insert(self, parent, made, index, fills=False):
        container = self.container(parent)
        if isinstance(container, Gtk.Fixed):
            container.put(made, 0, 10)
        elif isinstance(container, Gtk.ListBox):
            container.insert(made, index)
        else:
            container.pack_start(made, fills, fills, 0)
            container.reorder_child(made, index)

    def remove(self, identifier):
        self.forget(identifier).destroy()

    def move(self, identifier, parent, index):
        made = self.widgets[identifier]
        if made.get_parent() is not self.container(parent):
            made.get_parent().remove(made)
            self.insert(parent, made, index)
        else:
            self.container(parent).reorder_child(made, index)

    def place(self, identifier, x, y):
        made = self.widgets[identifier]
        made.get_parent().move(made, x, y)

    def set_name(self, identifier, name):
        made = self.widgets[identifier]
        if isinstance(made, (Gtk.Label, Gtk.Button, Gtk.Frame)):
            made.set_label(name)
        else:
            made.get_accessible().set_name(name)

    def set_text(self, identifier, text):
        self.widgets[identifier].set_text(text)

    def set_visible(self, identifier, visible):
        made = self.widgets[identifier]
        made.set_visible(visible)
        if isinstance(made, Gtk.Spinner):
            made.set_property("active", visible)

    def set_enabled(self, identifier, enabled):
        self.widgets[identifier].set_sensitive(enabled)

    def set_checked(self, identifier, checked):
        self.widgets[identifier].set_active(checked)

    def set_value(self, identifier, value):
        self.widgets[identifier].set_value(value)

    def choose(self, identifier, index):
        self.widgets[identifier].set_active(index)

    def pulse(self, identifier):
        self.widgets[identifier].pulse()

    def secret(self, identifier):
        return self.widgets[identifier].get_text()

    def state(self, identifier):
        made, kind = self.widgets[identifier], self.kind(identifier)
        state = {"enabled": made.get_sensitive(), "visible": made.get_visible()}
        state["name"] = made.get_label() if hasattr(made, "get_label") else self.inner(made).get_accessible().get_name()
        if kind == "entry":
            state["text"] = made.get_text()
        elif kind == "password":
            state["length"] = len(made.get_text())
        elif kind in ("check", "radio"):
            state["checked"] = made.get_active()
        elif kind in ("slider", "spin"):
            state["value"] = made.get_value()
        elif kind == "combo":
            state["text"] = made.get_active_text()
        return state

    # Windows

    def open_window(self, pages, title):
        self.window = Gtk.Window(title=title, default_width=720, default_height=560)
        self.window.connect("destroy", lambda *_: self.loop.quit())
        self.window.connect("key-press-event", self.key)
        whole = Gtk.Box(spacing=12, margin=8)
        self.window.add(whole)
        buttons = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.stack = Gtk.Stack()
        whole.pack_start(buttons, False, False, 0)
        whole.pack_start(self.stack, True, True, 0)
        self.widgets["pages"] = buttons
        for name, page in pages.items():
            label = f"{page['name']} page"
            self.create({"kind": "button", "id": f"page.{name}", "name": label, "children": []}, "pages")
            made = self.make(page)
            if name == "playground":
                scrolled = Gtk.ScrolledWindow()
                scrolled.add(made)
                self.stack.add_named(scrolled, name)
            else:
                self.stack.add_named(made, name)
            made.show()
        for made in (self.stack, buttons, whole):
            made.show()
        for made in self.stack.get_children():
            made.show()

    def key(self, _window, event):
        if event.keyval == Gdk.KEY_s and event.state & Gdk.ModifierType.CONTROL_MASK:
            self.emit("saved", "shortcut")
            return True
        return False

    def show_page(self, name):
        self.stack.set_visible_child_name(name)

    def open_dialog(self, spec):
        self.dialog = Gtk.Dialog(title=spec["name"], transient_for=self.window, modal=True, default_width=360, default_height=240)
        self.dialog.connect("delete-event", lambda *_: self.emit("activated", "settings.cancel") or True)
        self.dialog.get_content_area().add(self.make(spec))
        self.widgets[spec["id"]].show()
        self.dialog.show()

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
        self.window.connect("map-event", lambda *_: action() and False)
        self.window.present()

    def watch_input(self, descriptor, action):
        GLib.io_add_watch(descriptor, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, lambda *_: action())

    def run(self):
        self.loop.run()

    def quit(self):
        self.loop.quit()


if __name__ == "__main__":
    sys.exit(main(Gtk3()))
