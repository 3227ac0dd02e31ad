"""A web page: a list of things to do, in a private browser.

    python examples/python/web_page.py

The page answers late, as pages do: an item is saved after a while, and shows a spinner meanwhile. Nothing here waits for that
by the clock.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import stillpoint as sp
from stillpoint import expect

PAGE = """<!doctype html>
<title>To do</title>
<h1>To do</h1>
<form id="form"><label>What <input id="what"></label> <button id="add" disabled>Add</button></form>
<progress id="saving" hidden></progress>
<ul id="items" aria-label="Items"></ul>
<p id="count" role="status">Nothing to do</p>
<script>
  const by = id => document.getElementById(id);
  by("what").oninput = () => { by("add").disabled = !by("what").value; };
  by("form").onsubmit = event => {
    event.preventDefault();
    const text = by("what").value;
    by("what").value = ""; by("add").disabled = true; by("saving").hidden = false;
    setTimeout(() => {
      by("saving").hidden = true;
      const item = document.createElement("li");
      item.textContent = text;
      by("items").append(item);
      by("count").textContent = by("items").children.length + " to do";
    }, 150 + Math.random() * 300);
  };
</script>"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "to-do.html")
        file.write_text(PAGE)
        return drive(file.as_uri())


def drive(url: str) -> int:
    with sp.web(url) as page:
        what, add = page.find("#what"), page.find('button "Add"')
        expect(add).to_be_disabled()
        for number, thing in enumerate(["Boots", "Tent", "Lamp"], 1):
            what.type(thing)
            # One call: wait until the button is ready, press it, wait for rest, prove what came of it.
            done = add.tap(expect=f'"{number} to do"')
            print(f"{thing}: {'verified' if done.verified else 'not verified'}, {len(done.delta.added)} elements are new")
        items = [item.text for item in page.find("#items").find("text").all()]
        print(items)
        print(page.snapshot())
        page.screenshot().save("to-do.png")
    return 0 if len(items) == 3 else 1


if __name__ == "__main__":
    sys.exit(main())
