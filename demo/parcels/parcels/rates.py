"""Rates, asked of the store at most once in a while."""

import asyncio
import time

from .parcel import Rate
from .store import Store

CLASSES = (500, 2000, 10000)


class Rates:
    def __init__(self, store: Store, seconds: float):
        self._store = store
        self._seconds = seconds
        self._known: dict[tuple[str, int], tuple[float, Rate]] = {}
        self._asking = asyncio.Lock()

    async def rate_for(self, zone: str, grams: int) -> Rate:
        key = (zone, next(limit for limit in CLASSES if grams <= limit))
        known = self._known.get(key)
        if known is not None and time.monotonic() < known[0]:
            return known[1]
        async with self._asking:
            rate = await self._store.rate(*key)
            self._known[key] = (time.monotonic() + self._seconds, rate)
            return rate
