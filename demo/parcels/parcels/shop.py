"""Shops that ask for quotes, each in a task of its own."""

import asyncio
import random

from .parcel import Parcel
from .quotes import Quoter


class Shop:
    def __init__(self, name: str, quoter: Quoter, seed: int):
        self.name = name
        self._quoter = quoter
        self._random = random.Random(seed)
        self.asked = 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._random.uniform(0.005, 0.03))
            await self._quoter.quote(self.parcel())

    def parcel(self) -> Parcel:
        self.asked += 1
        pick = self._random
        return Parcel(
            id=f"{self.name}-{self.asked:04}",
            zone=pick.choices(("city", "country", "island"), (6, 3, 1))[0],
            grams=int(pick.paretovariate(1.2) * 150) % 9000 + 50,
            fragile=pick.random() < 0.005,
            signed=pick.random() < 0.1,
        )
