"""The screens as data. A toolkit makes real widgets of the kinds; `scenario` gives them behaviour.

Kinds: box, row, group, stage (children at free positions), label, button, entry, password, check, radio,
combo, slider, spin, progress, spinner, list (of items), rows (a model with many rows), source and target
(of a drag). `hidden` and `disabled` are how a widget begins; one that `fills` takes the room that is left.
"""

ROWS = 2000
COLOURS = ["Red", "Green", "Blue"]


def widget(kind, identifier, name, *children, **options):
    """One widget. `name` is the text that it shows, or its accessible name where it shows none."""
    return {"kind": kind, "id": identifier, "name": name, "children": list(children), **options}


PAGES = {
    "login": widget(
        "box", "login", "Login",
        widget("label", "login.title", "Sign in to continue"),
        widget("entry", "login.username", "Username"),
        widget("password", "login.password", "Password"),
        widget("button", "login.submit", "Sign in"),
        widget("spinner", "login.spinner", "Signing in", hidden=True),
        widget("label", "login.error", "Wrong user name or password", hidden=True),
    ),
    "welcome": widget(
        "box", "welcome", "Welcome",
        widget("label", "welcome.greeting", "Welcome"),
        widget("button", "welcome.signout", "Sign out"),
    ),
    "feed": widget(
        "box", "feed", "Feed",
        widget("button", "feed.load", "Load items"),
        widget("label", "feed.status", "Nothing loaded"),
        widget("list", "feed.items", "Items", fills=True),
    ),
    "debounce": widget(
        "box", "debounce", "Debounce",
        widget("entry", "debounce.quantity", "Quantity"),
        widget("label", "debounce.total", "Total: 0"),
    ),
    "animation": widget(
        "box", "animation", "Animation",
        widget("progress", "animation.bar", "Busy for ever"),
        widget("button", "animation.count", "Count"),
        widget("label", "animation.counted", "Counted: 0"),
    ),
    "toast": widget(
        "box", "toast", "Toast",
        widget("button", "toast.show", "Show toast"),
        widget("label", "toast.message", "Saved to disk", hidden=True),
    ),
    "dialog": widget(
        "box", "dialog", "Dialog",
        widget("button", "dialog.open", "Settings"),
        widget("label", "dialog.status", "Nothing happened"),
        # Fills the rest of the page, so that the dialog covers its middle.
        widget("button", "dialog.delete", "Delete", fills=True),
    ),
    "rows": widget(
        "box", "rows", "Rows",
        widget("label", "rows.status", "No row chosen"),
        widget("rows", "rows.list", "Rows", count=ROWS, fills=True),
    ),
    "clock": widget(
        "box", "clock", "Clock",
        widget("label", "clock.time", "Tick 0"),
        widget("button", "clock.start", "Start clock"),
        widget("button", "clock.stop", "Stop clock"),
    ),
    "values": widget(
        "box", "values", "Values",
        widget("slider", "values.slider", "Volume"),
        widget("label", "values.volume", "Volume is 0"),
        widget("spin", "values.spin", "Amount"),
        widget("label", "values.amount", "Amount is 0"),
    ),
    "twins": widget(
        "box", "twins", "Twins",
        widget("group", "twins.network", "Network", widget("button", "twins.network.apply", "Apply")),
        widget("group", "twins.printer", "Printer", widget("button", "twins.printer.apply", "Apply")),
        widget("label", "twins.status", "Nothing applied"),
    ),
    "form": widget(
        "box", "form", "Form",
        widget("entry", "form.email", "Email"),
        widget("check", "form.agree", "I agree"),
        widget("button", "form.submit", "Submit", disabled=True),
        widget("label", "form.status", "Not submitted"),
    ),
    "checkout": widget(
        "box", "checkout", "Checkout",
        widget("spin", "checkout.quantity", "Quantity of boots"),
        widget("entry", "checkout.email", "E-mail"),
        widget("check", "checkout.terms", "I accept the terms"),
        widget("label", "checkout.total", "Total: 0"),
        widget("button", "checkout.order", "Place order", disabled=True),
        widget("spinner", "checkout.spinner", "Placing the order", hidden=True),
        widget("label", "checkout.status", "Nothing ordered"),
    ),
    "moving": widget(
        "box", "moving", "Moving",
        widget("button", "moving.start", "Start moving"),
        widget("stage", "moving.stage", "Stage", widget("button", "moving.target", "Catch me")),
        widget("label", "moving.status", "At rest"),
    ),
    "replaced": widget(
        "box", "replaced", "Replaced",
        widget("button", "replaced.refresh", "Refresh"),
        widget("row", "replaced.place", "Place", widget("button", "replaced.target", "Open report")),
        widget("label", "replaced.status", "Version 1"),
    ),
    "drag": widget(
        "box", "drag", "Drag",
        widget("source", "drag.card", "Card"),
        widget("target", "drag.tray", "Tray"),
        widget("label", "drag.status", "Nothing dropped"),
    ),
    "shortcut": widget(
        "box", "shortcut", "Shortcut",
        widget("entry", "shortcut.document", "Document"),
        widget("label", "shortcut.status", "Not saved"),
    ),
    "choices": widget(
        "box", "choices", "Choices",
        widget("check", "choices.remember", "Remember me"),
        widget("radio", "choices.small", "Small", group="size"),
        widget("radio", "choices.medium", "Medium", group="size"),
        widget("radio", "choices.large", "Large", group="size"),
        widget("combo", "choices.colour", "Colour", options=COLOURS),
    ),
    "playground": widget("box", "playground", "Playground"),
}

DIALOG = widget(
    "box", "settings", "Settings",
    widget("check", "settings.notify", "Notifications"),
    widget("row", "settings.buttons", "Answers",
           widget("button", "settings.cancel", "Cancel"),
           widget("button", "settings.ok", "OK")),
)
