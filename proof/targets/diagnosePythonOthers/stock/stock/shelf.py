import asyncio


class Shelf:
    def __init__(self, pieces):
        self.pieces = pieces

    async def count(self):
        await asyncio.sleep(0)
        return self.pieces

    async def set(self, pieces):
        await asyncio.sleep(0)
        self.pieces = pieces
