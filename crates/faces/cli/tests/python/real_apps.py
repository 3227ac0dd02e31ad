"""A whole session of an agent on a real app, by the official Python SDK. One JSON object on standard input says how:

kind (stdio, http), what (command or address), token, mode, app (the target's URI), environment (of the command).
"""

import asyncio
import json
import sys
import urllib.parse

from client import ask, check, connected, given_up, hear_update, refused

HOUR = 3_600_000


async def told(client, tool, params, **more):
    return (await ask(client, tool, params, **more)).structured_content


async def proven(client, verb, params):
    """An action that settles, tells what changed, and is proven."""
    answer = await told(client, verb, params)
    check(answer["lifecycle_state"] == "verified", answer)
    check(answer["settled"] is True, answer)
    check(answer["revision_after"] > answer["revision_before"], answer)
    delta = answer["delta"]
    check(delta["added"] or delta["changed"] or delta["removed"], answer)
    return answer


async def with_progress(client, wait, steps):
    """A wait that hears of each step on its way, and ends after the last."""
    heard, news = [], asyncio.Event()

    async def hear(progress, total, message):
        heard.append(message)
        news.set()

    waiting = asyncio.create_task(ask(client, "wait_for_ui", wait, progress_callback=hear))
    for number, step in enumerate(steps):
        await step()
        if number == 0:
            await news.wait()
    answer = (await waiting).structured_content
    check(answer["status"] == "success", answer)
    check(heard and all(m.startswith("rev ") for m in heard), heard)


async def errors(client, app):
    await refused(client, "INVALID_SELECTOR", "tap", {"app": app, "selector": 'button "unfinished'})
    missing = {"app": app, "selector": 'button "No such button"', "timeout_ms": 300}
    await refused(client, "ELEMENT_NOT_FOUND", "tap", missing)
    await refused(client, "TIMEOUT", "wait_for_ui_change", {"app": app, "timeout_ms": 400})
    wrong = {"app": app, "title": "Another screen", "timeout_ms": 0}
    await refused(client, "VERIFICATION_FAILED", "expect_screen", wrong)
    await refused(client, "INVALID_ARGUMENT", "snapshot", {"app": "nonsense"})


async def on_gtk(client, updated, app):
    tap = lambda selector, **more: {"app": app, "selector": selector, **more}
    look = await ask(client, "snapshot", {"app": app})
    check('button "Sign in"' in look.content[0].text, look.content[0].text)
    await ask(client, "type_text", tap("#login.username", text="ada"))
    await ask(client, "type_text", tap("#login.password", text="secret"))
    signed_in = await proven(client, "tap", tap("#login.submit", expect='"Welcome, ada"'))
    await told(client, "snapshot", {"app": app, "since": signed_in["revision_before"]})
    unchanged = await told(client, "snapshot", {"app": app, "since": signed_in["revision_after"]})
    check(unchanged["kind"] == "unchanged", unchanged)

    await proven(client, "tap", tap('button "Feed page"', expect="#feed.load"))
    wait = {"app": app, "selector": '"Loaded 8 items"', "timeout_ms": 60_000}
    load = lambda: ask(client, "tap", tap("#feed.load", settle="none"))
    await with_progress(client, wait, [load])

    await proven(client, "tap", tap('button "Twins page"', expect="#twins.printer"))
    await refused(client, "AMBIGUOUS_TARGET", "tap", tap('button "Apply"'))
    pages = ['button "Clock page"', 'button "Twins page"']
    await errors(client, app)
    await refused(client, "TARGET_NOT_FOUND", "open_target", {"app": "app:nobody-is-called-this"})
    await proven(client, "tap", tap('button "Dialog page"', expect="#dialog.delete"))
    await refused(client, "POLICY_DENIED", "tap", tap("#dialog.delete"))
    turn = iter(pages * 100)
    disturb = lambda started: ask(client, "tap", tap(next(turn)))
    await given_up(client, "wait_for_ui", tap('"never there"', timeout_ms=HOUR), disturb)

    act = lambda: ask(client, "tap", tap('button "Values page"'))
    await heard_and_read(client, updated, app, act, "Volume")
    await pictured(client, app)


async def on_page(client, updated, app):
    tap = lambda selector, **more: {"app": app, "selector": selector, **more}
    save = lambda: ask(client, "tap", tap('button "Save"'))
    look = await ask(client, "snapshot", {"app": app})
    check('button "Save"' in look.content[0].text, look.content[0].text)
    saved = await proven(client, "tap", tap('button "Save"', expect='"Saved 1 times"'))
    since = await told(client, "snapshot", {"app": app, "since": saved["revision_before"]})
    check(since["kind"] in ("delta", "full"), since)

    wait = {"app": app, "selector": '"Saved 3 times"', "timeout_ms": 60_000}
    await with_progress(client, wait, [save, save])
    await errors(client, app)
    await given_up(client, "wait_for_ui", tap('"never there"', timeout_ms=HOUR), lambda started: save())
    await ask(client, "get_network_activity", {"app": app})
    await heard_and_read(client, updated, app, save, "Saved ")
    await pictured(client, app)


async def heard_and_read(client, updated, app, act, words):
    uri = f"stillpoint://{urllib.parse.quote(app, safe='')}/snapshot"
    await hear_update(client, updated, uri, act)
    read = await client.read_resource(uri)
    check(words in read.contents[0].text, read)


async def pictured(client, app):
    picture = await ask(client, "screenshot", {"app": app})
    check(any(getattr(c, "mime_type", None) == "image/png" for c in picture.content), picture.content)


async def play(kind, what, token, mode, app, environment):
    async with connected(kind, what, mode, token, environment) as (client, updated):
        tools = (await client.list_tools()).tools
        check(any(t.name == "open_target" for t in tools), tools)
        await ask(client, "open_target", {"app": app})
        journey = on_gtk if app.startswith("app:") else on_page
        await journey(client, updated, app)
        closed = await told(client, "close_target", {"app": app})
        check(closed["closed"] == app, closed)
        print("played", client.protocol_version)


asyncio.run(play(**json.load(sys.stdin)))
