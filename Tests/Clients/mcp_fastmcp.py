"""Drives /mcp of `roost serve` with the client of the package fastmcp.

usage: mcp_fastmcp.py ROOST
"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from http_server import server


async def main():
    with server(sys.argv[1]) as (address, token):
        transport = StreamableHttpTransport(address + "/mcp", auth=token)
        async with Client(transport) as client:
            assert len(await client.list_tools()) == 8
            stored = await client.call_tool("remember", {"text": "A heron stood in the pond."})
            found = await client.call_tool("search", {"query": "heron"})
            ids = [item["id"] for item in found.structured_content["results"]]
            assert stored.structured_content["id"] in ids, found
            wrong = await client.call_tool("search", {"limit": 0}, raise_on_error=False)
            assert wrong.is_error
    print("all calls succeeded")


asyncio.run(main())
