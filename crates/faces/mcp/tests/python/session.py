"""A whole session of an agent on the simulator: session.py stdio|http WHAT [TOKEN] MODE."""

import asyncio
import sys

from client import ask, check, connected, given_up, hear_update, refused

SNAPSHOT = "stillpoint://sim%3Alogin/snapshot"


async def journey(client):
    tools = (await client.list_tools()).tools
    check(len(tools) == 23, len(tools))
    check(len(client.instructions.encode()) <= 1024)
    listed = await ask(client, "list_targets")
    check(any(t["target"] == "sim:login" for t in listed.structured_content["targets"]))
    await ask(client, "open_target", {"app": "sim:login"})
    await ask(client, "wait_for_ui", {"selector": '"Ready"'})
    look = await ask(client, "snapshot")
    check('button "Sign in"' in look.content[0].text, look.content[0].text)

    await ask(client, "type_text", {"selector": "#username", "text": "ada"})
    await ask(client, "type_text", {"selector": "#password", "text": "secret"})
    heard = []

    async def hear(progress, total, message):
        heard.append(message)

    tap = {"selector": 'button "Sign in"', "expect": 'heading "Welcome, ada"'}
    tapped = await ask(client, "tap", tap, progress_callback=hear)
    check(tapped.structured_content["lifecycle_state"] == "verified", tapped)
    check(tapped.structured_content["delta"]["added"], tapped)
    check(heard and all(m.startswith("rev ") for m in heard), heard)

    await refused(client, "AMBIGUOUS_TARGET", "tap", {"selector": "listitem"})
    await refused(client, "TARGET_NOT_FOUND", "tap", {"app": "sim:nowhere", "selector": "button"})
    picture = await ask(client, "screenshot")
    check(any(getattr(c, "mime_type", None) == "image/png" for c in picture.content))

    prompts = (await client.list_prompts()).prompts
    check(len(prompts) == 3, prompts)
    resources = (await client.list_resources()).resources
    check([str(r.uri) for r in resources] == [SNAPSHOT], resources)


async def cancel(client):
    """A call that is given up leaves the server serving. The clock of the scene brings progress by itself."""
    params = {"app": "sim:clock", "timeout_ms": 3_600_000, "selector": '"never there"'}
    await given_up(client, "wait_for_ui", params, lambda started: started.wait())
    await ask(client, "close_target", {"app": "sim:clock"})


async def play(kind, what, mode, token=None):
    async with connected(kind, what, mode, token) as (client, updated):
        await journey(client)
        await cancel(client)
        signing_out = lambda: ask(client, "tap", {"app": "sim:login", "selector": "#signout"})
        await hear_update(client, updated, SNAPSHOT, signing_out)
        read = await client.read_resource(SNAPSHOT)
        check("Signed out" in read.contents[0].text, read)
        await ask(client, "close_target", {"app": "sim:login"})
        print("played", client.protocol_version)


kind, what, *more = sys.argv[1:]
if kind == "stdio":
    asyncio.run(play(kind, [what], *more))
else:
    token, mode = more
    asyncio.run(play(kind, what, mode, token))
