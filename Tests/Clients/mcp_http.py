"""Drives /mcp of `roost serve` with the client of the package mcp, version 2, in both eras of the protocol.

usage: mcp_http.py ROOST
"""

import asyncio
import sys

import httpx2 as httpx
from http_server import server
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


def transport(address, token):
    return streamable_http_client(
        address + "/mcp", http_client=httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}))


async def session(address, token, mode):
    async with Client(transport(address, token), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert len(names) == 8, names
        text = f"A heron stood in the pond ({mode})."
        stored = (await client.call_tool("remember", {"text": text})).structured_content
        found = await client.call_tool("search", {"query": f"heron pond {mode}"})
        assert stored["id"] in [item["id"] for item in found.structured_content["results"]], found
        wrong = await client.call_tool("search", {"query": "x", "nonsense": True})
        assert wrong.is_error and "nonsense" in wrong.content[0].text, wrong
        progress = []

        async def note(done, total, message):
            progress.append((done, total, message))

        for word in range(8):
            await client.call_tool("remember", {"text": f"engine piston oil {word}"})
        await client.call_tool("recluster", {}, progress_callback=note)
        assert progress and progress[-1][0] == progress[-1][1], progress
        read = (await client.read_resource("roost://entry/" + stored["id"])).contents[0].text
        assert "heron" in read, read


async def main():
    with server(sys.argv[1]) as (address, token):
        for mode in ("auto", "legacy"):
            await session(address, token, mode)
        await asyncio.gather(*(session(address, token, "auto") for _ in range(2)))
    print("all calls succeeded")


asyncio.run(main())
