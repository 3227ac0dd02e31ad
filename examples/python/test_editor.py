"""A GTK app tested with pytest: Mousepad, on a private desktop.

    pytest examples/python/test_editor.py

The fixture starts the program, attaches to it, and ends it after the test. No test sleeps: each action waits until its target
is ready, and answers when the UI has come to rest.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import stillpoint as sp
from stillpoint import expect

EDITOR = pytest.mark.stillpoint(command=["mousepad", "--disable-server"])
TEXT = "tab >> textbox"


@EDITOR
def test_what_is_typed_is_in_the_document(app: sp.App) -> None:
    typed = app.find(TEXT).type("Hello,\nworld")
    assert typed.verified
    assert app.find(TEXT).text == "Hello,\nworld"
    # The title's asterisk says that there is something to save.
    app.expect_screen(title="*Untitled 1 - Mousepad")


@EDITOR
def test_searching_opens_a_bar_and_escape_closes_it(app: sp.App) -> None:
    match_case = app.find('checkbox "Match case"')
    assert not match_case.exists()
    with app.expect_change() as change:
        app.press_key("ctrl+f")
    assert change.delta is not None and "Match case" in [element.label for element in change.delta.added]
    match_case.toggle()
    expect(match_case).to_be_checked()
    app.press_key("Escape")
    expect(match_case).to_be_hidden()


@EDITOR
def test_a_file_is_saved(app: sp.App, tmp_path: Path) -> None:
    app.find(TEXT).type("kept")
    app.press_key("ctrl+s")
    dialog = app.find('dialog "Save As"')
    dialog.find("textbox").type(str(tmp_path / "note.txt"))
    app.press_key("Enter", expect={"selector": dialog, "condition": "gone"})
    app.expect_screen(title=f"{tmp_path}/note.txt - Mousepad")
    assert (tmp_path / "note.txt").read_text().strip() == "kept"
