"""Drives `roost mcp` with the client of the package mcp, version 1.

usage: mcp_legacy_sdk.py ROOST
"""

import asyncio
import os
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    with tempfile.TemporaryDirectory() as home:
        server = StdioServerParameters(
            command=sys.argv[1], args=["mcp", "--store", os.path.join(home, "store")])
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as client:
            await client.initialize()
            assert len((await client.list_tools()).tools) == 8
            stored = await client.call_tool("remember", {"text": "A heron stood in the pond."})
            found = await client.call_tool("search", {"query": "heron"})
            ids = [item["id"] for item in found.structuredContent["results"]]
            assert stored.structuredContent["id"] in ids, found
            assert (await client.call_tool("search", {"limit": 0})).isError
            await client.send_ping()
    print("all calls succeeded")


asyncio.run(main())
