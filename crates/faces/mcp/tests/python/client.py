"""What every session with the official Python SDK needs: a connection, and calls that must go well or must not."""

import asyncio
import contextlib

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated


def check(holds, *what):
    if not holds:
        raise AssertionError(what)


async def ask(client, tool, params=None, **more):
    """A call that must go well."""
    result = await client.call_tool(tool, params or {}, **more)
    check(not result.is_error, tool, result)
    check(result.content and result.structured_content is not None, tool, result)
    return result


async def refused(client, code, tool, params):
    """A call that must be refused with this code."""
    result = await client.call_tool(tool, params)
    check(result.is_error, tool, result)
    error = result.structured_content["error"]
    check(error["code"] == code, tool, params, error)
    check(error["message"] and error["hint"], error)
    return error


async def given_up(client, tool, params, disturb):
    """Begins a call, lets `disturb` happen to its app until the server tells progress, and gives the call up."""
    started = asyncio.Event()

    async def hear(progress, total, message):
        started.set()

    call = asyncio.create_task(client.call_tool(tool, params, progress_callback=hear))
    while not started.is_set():
        check(not call.done(), tool, params)
        await disturb(started)
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call


async def hear_update(client, updated, uri, act):
    """An action is an update to whoever subscribed, in the way of the protocol's version."""
    if client.protocol_version >= "2026-07-28":
        async with client.listen(resource_subscriptions=[uri]) as events:
            await act()
            async for event in events:
                check(isinstance(event, ResourceUpdated), event)
                break
    else:
        await client.subscribe_resource(uri)
        await act()
        check(await updated.get() == uri)
        await client.unsubscribe_resource(uri)


@contextlib.asynccontextmanager
async def connected(kind, what, mode, token=None, environment=None):
    """A client of the server that `what` starts (stdio) or whose address it is (http), and the updates it hears."""
    updated = asyncio.Queue()

    async def on_message(message):
        root = getattr(message, "root", message)
        if isinstance(root, types.ResourceUpdatedNotification):
            updated.put_nowait(str(root.params.uri))

    async with contextlib.AsyncExitStack() as stack:
        if kind == "stdio":
            command, *arguments = what
            server = StdioServerParameters(command=command, args=arguments, env=environment)
            transport = stdio_client(server)
        else:
            headers = {"Authorization": f"Bearer {token}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(what, http_client=http)
        client = await stack.enter_async_context(Client(transport, mode=mode, message_handler=on_message))
        yield client, updated
