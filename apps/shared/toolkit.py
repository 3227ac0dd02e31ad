"""What a toolkit owes the fixture app: real widgets for the kinds of `screens`, and a main loop.

A toolkit subclasses `Toolkit`, gives it one `make_KIND` per kind and the abstract methods below, and calls
`self.emit(event, identifier, detail)` when a person (or a tool) does something:
activated, changed (text), toggled (state), moved (value), chosen (option), dragging, hovered
(by what is dragged), dropped (text), saved (Ctrl+S).
"""


class Toolkit:
    name = "none"
    version = "0"

    def __init__(self):
        self.widgets = {}
        self.specs = {}
        self.emit = lambda event, identifier, detail=None: None

    # Building

    def create(self, spec, parent, index=-1):
        """Makes a widget and its children inside the container `parent` (an id)."""
        made = self.make(spec)
        self.insert(parent, made, index, spec.get("fills", False))
        self.set_visible(spec["id"], not spec.get("hidden", False))
        return made

    def make(self, spec):
        """Makes a widget and its children, registered under their ids, with no parent yet."""
        identifier = spec["id"]
        made = getattr(self, "make_" + spec["kind"])(spec)
        self.widgets[identifier], self.specs[identifier] = made, spec
        self.identify(made, spec)
        if spec.get("disabled"):
            self.set_enabled(identifier, False)
        for child in spec["children"]:
            self.create(child, identifier)
        return made

    def forget(self, identifier):
        """Drops a widget and everything below it from the registry."""
        spec = self.specs.pop(identifier)
        for child in spec["children"]:
            if child["id"] in self.specs:
                self.forget(child["id"])
        return self.widgets.pop(identifier)

    def kind(self, identifier):
        return self.specs[identifier]["kind"]

    # The toolkit's own part

    def identify(self, made, spec):
        """Gives a widget its accessible id (where the toolkit can) and its accessible name."""
        raise NotImplementedError

    def insert(self, parent, made, index, fills=False):
        raise NotImplementedError

    def remove(self, identifier):
        raise NotImplementedError

    def move(self, identifier, parent, index):
        raise NotImplementedError

    def place(self, identifier, x, y):
        """Puts a child of a stage somewhere."""
        raise NotImplementedError

    def set_name(self, identifier, name):
        """Changes the text that it shows, or its accessible name where it shows none."""
        raise NotImplementedError

    def set_text(self, identifier, text):
        """Changes the content of an entry."""
        raise NotImplementedError

    def set_visible(self, identifier, visible):
        raise NotImplementedError

    def set_enabled(self, identifier, enabled):
        raise NotImplementedError

    def set_checked(self, identifier, checked):
        raise NotImplementedError

    def set_value(self, identifier, value):
        raise NotImplementedError

    def choose(self, identifier, index):
        raise NotImplementedError

    def unselect(self, identifier):
        """Leaves no row selected, where a tap on a selected one would do nothing."""

    def pulse(self, identifier):
        raise NotImplementedError

    def secret(self, identifier):
        """The content of a password."""
        raise NotImplementedError

    def state(self, identifier):
        """What the widget itself says: name, enabled, visible, and text, checked, value where it has them.
        Of a password only the length is told."""
        raise NotImplementedError

    def open_window(self, pages, title):
        """Builds the window: a button per page and the page area."""
        raise NotImplementedError

    def show_page(self, name):
        raise NotImplementedError

    def open_dialog(self, spec):
        """Opens a modal dialog over the window."""
        raise NotImplementedError

    def close_dialog(self, spec):
        raise NotImplementedError

    def later(self, milliseconds, action):
        """Runs an action once, later; returns a function that cancels it."""
        raise NotImplementedError

    def when_idle(self, action):
        """Runs an action when everything queued so far is handled and drawn."""
        raise NotImplementedError

    def when_free(self, action):
        """Runs an action once the main loop has nothing more urgent to do."""
        self.later(0, action)

    def when_mapped(self, action):
        raise NotImplementedError

    def watch_input(self, descriptor, action):
        """Runs an action from the main loop whenever the descriptor is readable; it returns whether to go on."""
        raise NotImplementedError

    def watch_loop(self, idle):
        """Lets the idle SDK watch the main loop; says whether it does."""
        return idle.track_glib()

    def run(self):
        raise NotImplementedError

    def quit(self):
        raise NotImplementedError
