"""Drives `roost mcp` with the client of the package mcp, version 2, in both eras of the protocol.

usage: mcp_sdk.py ROOST
"""

import asyncio
import os
import sys
import tempfile

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


def transport(roost, store, *options):
    return stdio_client(StdioServerParameters(command=roost, args=["mcp", "--store", store, *options]))


async def session(roost, store, mode):
    async with Client(transport(roost, store), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len(names) == 8, names
        stored = (await client.call_tool("remember", {"text": f"A heron stood in the pond ({mode})."})).structured_content
        found = await client.call_tool("search", {"query": f"heron pond {mode}"})
        assert not found.is_error, found
        assert stored["id"] in [item["id"] for item in found.structured_content["results"]], found
        wrong = await client.call_tool("search", {"query": "x", "nonsense": True})
        assert wrong.is_error and "nonsense" in wrong.content[0].text, wrong
        progress = []

        async def note(done, total, message):
            progress.append((done, total, message))

        await client.call_tool("recluster", {}, progress_callback=note)
        assert progress and progress[-1][0] == progress[-1][1], progress
        text = (await client.read_resource("roost://entry/" + stored["id"])).contents[0].text
        assert "heron" in text, text


async def two_writers(roost, store):
    """Two servers write to one store at the same time; no text is lost."""
    async def write(name):
        async with Client(transport(roost, store)) as client:
            for number in range(20):
                result = await client.call_tool(
                    "remember", {"text": f"{name} wrote line {number}"})
                assert not result.is_error, result

    await asyncio.gather(write("one"), write("two"))
    async with Client(transport(roost, store)) as client:
        found = (await client.call_tool("search", {"limit": 100})).structured_content
        assert len(found["results"]) == 42, found


async def cancellation(roost, store):
    """A request that the client abandons does not block the connection."""
    async with Client(transport(roost, store)) as client:
        try:
            await asyncio.wait_for(client.call_tool("recluster", {}), timeout=0.001)
        except (TimeoutError, asyncio.TimeoutError):
            pass
        found = (await client.call_tool("search", {"limit": 100})).structured_content
        assert len(found["results"]) == 42, found


async def main():
    roost = sys.argv[1]
    with tempfile.TemporaryDirectory() as home:
        store = os.path.join(home, "store")
        for mode in ("legacy", "auto"):
            await session(roost, store, mode)
            print(f"{mode}: all calls succeeded")
        await two_writers(roost, store)
        print("two servers on one store: no entry was lost")
        await cancellation(roost, store)
        print("a cancelled request does not block the connection")


asyncio.run(main())
