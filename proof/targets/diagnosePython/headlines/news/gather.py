"""Reads many sources at once."""

import asyncio

from news.sources import read


async def read_all(names):
    """Headlines in the order of the names."""
    pending = [asyncio.ensure_future(read(name)) for name in names]
    return [await each for each in asyncio.as_completed(pending)]
