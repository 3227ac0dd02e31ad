#!/usr/bin/python3
"""The fixture app with Qt widgets: Qt 5, or Qt 6 with STILLPOINT_QT=6. What it does is in ../shared; here is only how Qt
does it."""

import os
import pathlib
import sys

# One program for both: what they have in common is written once, enumerations by their full names.
if os.environ.get("STILLPOINT_QT") == "6":
    NAME = "qt6"
    from PyQt6.QtCore import *
    from PyQt6.QtGui import QDrag, QKeySequence, QShortcut
    from PyQt6.QtWidgets import *
else:
    NAME = "qt"
    from PyQt5.QtCore import *
    from PyQt5.QtGui import QDrag, QKeySequence
    from PyQt5.QtWidgets import *

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from shared.protocol import main
from shared.toolkit import Toolkit


class Card(QLabel):
    """Something that can be dragged."""

    def __init__(self, text, dragging):
        super().__init__(text)
        self.dragging = dragging

    def mousePressEvent(self, event):
        self.start = event.pos()

    def mouseMoveEvent(self, event):
        if (event.pos() - self.start).manhattanLength() >= QApplication.startDragDistance():
            data = QMimeData()
            data.setText(self.text())
            self.dragging()
            drag = QDrag(self)
            drag.setMimeData(data)
            drag.exec(Qt.DropAction.CopyAction)


class Tray(QLabel):
    """Something that takes what is dropped on it."""

    def __init__(self, text, hovered, dropped):
        super().__init__(text)
        self.hovered, self.dropped = hovered, dropped
        self.setAcceptDrops(True)
        self.setMinimumHeight(80)

    def dragEnterEvent(self, event):
        if event.mimeData().hasText():
            event.acceptProposedAction()

    def dragMoveEvent(self, event):
        event.acceptProposedAction()
        self.hovered()

    def dropEvent(self, event):
        event.acceptProposedAction()
        self.dropped(event.mimeData().text())


class Settings(QDialog):
    """Closing it by its frame, or with Escape, is a "Cancel"."""

    def __init__(self, parent, cancelled):
        super().__init__(parent)
        self.cancelled = cancelled

    def reject(self):
        self.cancelled()


class OnExpose(QObject):
    """Calls an action once, when the X server has mapped a window and asks for its content."""

    def __init__(self, window, action):
        super().__init__()
        self.action = action
        window.installEventFilter(self)

    def eventFilter(self, window, event):
        if event.type() == QEvent.Type.Expose and window.isExposed() and self.action:
            action, self.action = self.action, None
            action()
        return False


class Widgets(Toolkit):
    name = NAME
    version = f"{qVersion()} (PyQt {PYQT_VERSION_STR})"

    def __init__(self):
        super().__init__()
        # Qt takes the application's accessible name from here.
        self.application = QApplication([f"fixture-{NAME}"])
        self.application.setApplicationName(f"fixture-{NAME}")
        self.application.setCursorFlashTime(0)
        self.window = self.stack = self.dialog = self.notifier = self.exposed = None
        self.pages = {}

    # Kinds

    def make_box(self, spec):
        return self.laid_out(QWidget(), QVBoxLayout)

    def make_row(self, spec):
        return self.laid_out(QWidget(), QHBoxLayout)

    def make_group(self, spec):
        return self.laid_out(QGroupBox(spec["name"]), QVBoxLayout)

    def laid_out(self, made, layout):
        layout(made).setAlignment(Qt.AlignmentFlag.AlignTop if layout is QVBoxLayout else Qt.AlignmentFlag.AlignLeft)
        return made

    def make_stage(self, spec):
        stage = QWidget()
        stage.setMinimumSize(440, 150)
        return stage

    def make_label(self, spec):
        return QLabel(spec["name"])

    def make_button(self, spec):
        button = QPushButton(spec["name"])
        button.setAutoDefault(False)
        button.clicked.connect(lambda *_: self.emit("activated", spec["id"]))
        return button

    def make_entry(self, spec):
        entry = QLineEdit()
        entry.setPlaceholderText(spec["name"])
        entry.textChanged.connect(lambda text: self.emit("changed", spec["id"], text))
        entry.returnPressed.connect(lambda: self.emit("activated", spec["id"]))
        return entry

    def make_password(self, spec):
        entry = self.make_entry(spec)
        entry.setEchoMode(QLineEdit.EchoMode.Password)
        return entry

    def make_check(self, spec):
        return self.toggling(QCheckBox(spec["name"]), spec)

    def make_radio(self, spec):
        # Radio buttons of one parent exclude each other.
        radio = self.toggling(QRadioButton(spec["name"]), spec)
        radio.setChecked(spec["id"].endswith(".small"))
        return radio

    def toggling(self, button, spec):
        button.toggled.connect(lambda on: self.emit("toggled", spec["id"], on))
        return button

    def make_combo(self, spec):
        combo = QComboBox()
        combo.addItems(spec["options"])
        combo.currentTextChanged.connect(lambda text: self.emit("chosen", spec["id"], text))
        return combo

    def make_slider(self, spec):
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, 100)
        slider.valueChanged.connect(lambda value: self.emit("moved", spec["id"], value))
        return slider

    def make_spin(self, spec):
        spin = QSpinBox()
        spin.setRange(0, 100)
        spin.valueChanged.connect(lambda value: self.emit("moved", spec["id"], value))
        return spin

    def make_progress(self, spec):
        bar = QProgressBar()
        bar.setRange(0, 20)
        return bar

    def make_spinner(self, spec):
        # Qt has no spinner; a bar without a range is its sign for "busy".
        bar = QProgressBar()
        bar.setRange(0, 0)
        return bar

    def make_list(self, spec):
        return QListWidget()

    def make_item(self, spec):
        return QListWidgetItem(spec["name"])

    def make_rows(self, spec):
        view = QListView()
        view.setUniformItemSizes(True)
        view.setModel(QStringListModel([f"Row {number}" for number in range(1, spec["count"] + 1)], view))
        view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        # What an assistive tool does to an item is to select it.
        view.selectionModel().selectionChanged.connect(lambda chosen, _: [
            self.emit("chosen", spec["id"], index.row() + 1) for index in chosen.indexes()])
        return view

    def unselect(self, identifier):
        self.widgets[identifier].clearSelection()

    def make_source(self, spec):
        return Card(spec["name"], lambda: self.emit("dragging", spec["id"]))

    def make_target(self, spec):
        return Tray(spec["name"], lambda: self.emit("hovered", spec["id"]),
                    lambda text: self.emit("dropped", spec["id"], text))

    # Widgets

    def identify(self, made, spec):
        if isinstance(made, QWidget):
            # Qt 5 does not put the object's name on the accessibility bus; Qt 6 does.
            made.setObjectName(spec["id"])
            if not self.shows_text(made):
                made.setAccessibleName(spec["name"])

    def shows_text(self, made):
        return isinstance(made, (QLabel, QPushButton, QCheckBox, QRadioButton, QGroupBox))

    def insert(self, parent, made, index, fills=False):
        container = self.widgets[parent]
        if isinstance(container, QListWidget):
            container.insertItem(container.count() if index < 0 else index, made)
        elif container.layout() is None:
            made.setParent(container)
            made.move(0, 10)
        else:
            if fills:
                made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
                container.layout().setAlignment(Qt.AlignmentFlag(0))
            container.layout().insertWidget(index, made, 1 if fills else 0)

    def remove(self, identifier):
        made = self.forget(identifier)
        if isinstance(made, QListWidgetItem):
            made.listWidget().takeItem(made.listWidget().row(made))
            return
        if made.parentWidget().layout() is not None:
            made.parentWidget().layout().removeWidget(made)
        made.hide()
        made.setParent(None)
        made.deleteLater()

    def move(self, identifier, parent, index):
        made = self.widgets[identifier]
        # A new parent hides a widget; whether it was hidden on purpose must survive the move.
        hidden = made.isHidden()
        made.parentWidget().layout().removeWidget(made)
        self.insert(parent, made, index)
        made.setVisible(not hidden)

    def place(self, identifier, x, y):
        self.widgets[identifier].move(x, y)

    def set_name(self, identifier, name):
        made = self.widgets[identifier]
        if isinstance(made, QGroupBox):
            made.setTitle(name)
        elif self.shows_text(made):
            made.setText(name)
        else:
            made.setAccessibleName(name)

    def set_text(self, identifier, text):
        self.widgets[identifier].setText(text)

    def set_visible(self, identifier, visible):
        made = self.widgets[identifier]
        if isinstance(made, QListWidgetItem):
            made.setHidden(not visible)
        else:
            made.setVisible(visible)

    def set_enabled(self, identifier, enabled):
        self.widgets[identifier].setEnabled(enabled)

    def set_checked(self, identifier, checked):
        self.widgets[identifier].setChecked(checked)

    def set_value(self, identifier, value):
        self.widgets[identifier].setValue(int(value))

    def choose(self, identifier, index):
        self.widgets[identifier].setCurrentIndex(index)

    def pulse(self, identifier):
        bar = self.widgets[identifier]
        bar.setValue((bar.value() + 1) % 21)

    def secret(self, identifier):
        return self.widgets[identifier].text()

    def state(self, identifier):
        made, kind = self.widgets[identifier], self.kind(identifier)
        if kind == "item":
            return {"name": made.text(), "enabled": True, "visible": not made.isHidden()}
        # Its own state, not what follows from its parents'.
        state = {"enabled": not made.testAttribute(Qt.WidgetAttribute.WA_ForceDisabled), "visible": not made.isHidden()}
        if isinstance(made, QGroupBox):
            state["name"] = made.title()
        else:
            state["name"] = made.text() if self.shows_text(made) else made.accessibleName()
        if kind == "entry":
            state["text"] = made.text()
        elif kind == "password":
            state["length"] = len(made.text())
        elif kind in ("check", "radio"):
            state["checked"] = made.isChecked()
        elif kind in ("slider", "spin"):
            state["value"] = made.value()
        elif kind == "combo":
            state["text"] = made.currentText()
        return state

    # Windows

    def open_window(self, pages, title):
        self.window = QWidget()
        self.window.setWindowTitle(title)
        self.window.resize(720, 560)
        whole = QHBoxLayout(self.window)
        buttons = self.laid_out(QWidget(), QVBoxLayout)
        buttons.layout().setSpacing(0)
        self.stack = QStackedWidget()
        whole.addWidget(buttons)
        whole.addWidget(self.stack, 1)
        self.widgets["pages"] = buttons
        for name, page in pages.items():
            label = f"{page['name']} page"
            self.create({"kind": "button", "id": f"page.{name}", "name": label, "children": []}, "pages")
            made = self.make(page)
            if name == "playground":
                scrolled = QScrollArea()
                scrolled.setWidgetResizable(True)
                scrolled.setWidget(made)
                made = scrolled
            self.pages[name] = made
            self.stack.addWidget(made)
        QShortcut(QKeySequence("Ctrl+S"), self.window, lambda: self.emit("saved", "shortcut"))

    def show_page(self, name):
        self.stack.setCurrentWidget(self.pages[name])

    def open_dialog(self, spec):
        self.dialog = Settings(self.window, lambda: self.emit("activated", "settings.cancel"))
        self.dialog.setWindowTitle(spec["name"])
        self.dialog.setModal(True)
        self.dialog.resize(360, 240)
        QVBoxLayout(self.dialog).addWidget(self.make(spec))
        self.dialog.show()

    def close_dialog(self, spec):
        self.forget(spec["id"])
        self.dialog.hide()
        self.dialog.deleteLater()

    # The main loop

    def later(self, milliseconds, action):
        timer = QTimer(self.window)
        timer.setSingleShot(True)
        timer.timeout.connect(lambda: (timer.deleteLater(), action()))
        timer.start(milliseconds)
        return timer.stop

    def when_idle(self, action):
        # Two turns: the first handles what was posted (layouts among it), the second what that posted.
        self.later(0, lambda: (self.application.sendPostedEvents(), self.window.repaint(), self.later(0, action)))

    def when_mapped(self, action):
        self.window.show()
        self.exposed = OnExpose(self.window.windowHandle(), action)

    def watch_input(self, descriptor, action):
        self.notifier = QSocketNotifier(descriptor, QSocketNotifier.Type.Read, self.window)
        self.notifier.activated.connect(lambda *_: action() or self.notifier.setEnabled(False))

    def watch_loop(self, idle):
        return idle.track_qt()

    def run(self):
        return self.application.exec()

    def quit(self):
        self.application.quit()


if __name__ == "__main__":
    sys.exit(main(Widgets()))
