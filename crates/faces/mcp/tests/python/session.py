"""A whole session of an agent, played by the official Python SDK: session.py stdio|http WHAT [TOKEN] [MODE]."""

import asyncio
import sys

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated

SNAPSHOT = "stillpoint://sim%3Alogin/snapshot"


def check(holds, *what):
    if not holds:
        raise AssertionError(what)


async def ask(client, tool, params=None, **more):
    result = await client.call_tool(tool, params or {}, **more)
    check(not result.is_error, tool, result)
    check(result.content and result.structured_content is not None, tool, result)
    return result


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

    refused = await client.call_tool("tap", {"selector": "listitem"})
    check(refused.is_error and refused.structured_content["error"]["code"] == "AMBIGUOUS_TARGET", refused)
    lacking = await client.call_tool("tap", {"app": "sim:nowhere", "selector": "button"})
    check(lacking.structured_content["error"]["code"] == "TARGET_NOT_FOUND", lacking)
    picture = await ask(client, "screenshot")
    check(any(getattr(c, "mime_type", None) == "image/png" for c in picture.content))

    prompts = (await client.list_prompts()).prompts
    check(len(prompts) == 3, prompts)
    resources = (await client.list_resources()).resources
    check([str(r.uri) for r in resources] == [SNAPSHOT], resources)


async def cancel(client):
    """A call that is given up leaves the server serving."""
    started = asyncio.Event()

    async def hear(progress, total, message):
        started.set()

    params = {"app": "sim:clock", "timeout_ms": 3_600_000, "selector": '"never there"'}
    call = asyncio.create_task(client.call_tool("wait_for_ui", params, progress_callback=hear))
    await started.wait()
    call.cancel()
    try:
        await call
    except asyncio.CancelledError:
        pass
    await ask(client, "close_target", {"app": "sim:clock"})


async def subscribe(client, updated):
    """An action is an update to whoever subscribed, in the way of the protocol's version."""
    act = lambda: ask(client, "tap", {"app": "sim:login", "selector": "#signout"})
    if client.protocol_version >= "2026-07-28":
        async with client.listen(resource_subscriptions=[SNAPSHOT]) as events:
            await act()
            async for event in events:
                check(isinstance(event, ResourceUpdated), event)
                break
    else:
        await client.subscribe_resource(SNAPSHOT)
        await act()
        check(await updated.get() == SNAPSHOT)
        await client.unsubscribe_resource(SNAPSHOT)
    read = await client.read_resource(SNAPSHOT)
    check("Signed out" in read.contents[0].text, read)


async def play(transport, mode):
    updated = asyncio.Queue()

    async def on_message(message):
        root = getattr(message, "root", message)
        if isinstance(root, types.ResourceUpdatedNotification):
            updated.put_nowait(str(root.params.uri))

    async with Client(transport, mode=mode, message_handler=on_message) as client:
        await journey(client)
        await cancel(client)
        await subscribe(client, updated)
        await ask(client, "close_target", {"app": "sim:login"})
        print("played", client.protocol_version)


async def main():
    kind, what, *more = sys.argv[1:]
    if kind == "stdio":
        await play(stdio_client(StdioServerParameters(command=what)), *more)
    else:
        token, mode = more
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            await play(streamable_http_client(what, http_client=http), mode)


asyncio.run(main())
