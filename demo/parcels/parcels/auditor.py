"""Compares what was quoted with the price list."""

import asyncio

from .shop import Shop
from .store import Store


class Auditor:
    def __init__(self, store: Store, shops: list[Shop]):
        self._store = store
        self._shops = shops

    async def run(self) -> None:
        while True:
            await asyncio.sleep(0.25)
            for parcel, quoted, due in self._store.wrong_quotes():
                print(f"AUDIT parcel {parcel}: quoted {quoted}, the price list says {due}", flush=True)
            print(f"{sum(shop.asked for shop in self._shops)} quotes given", flush=True)
