"""Sources, some slower than others."""

import asyncio

SOURCES = {
    "harbour": (0.03, "Ferry is late"),
    "market": (0.01, "Apples are cheap"),
    "weather": (0.02, "Rain at noon"),
}


async def read(name):
    """The newest headline of a source."""
    delay, headline = SOURCES[name]
    await asyncio.sleep(delay)
    return headline
