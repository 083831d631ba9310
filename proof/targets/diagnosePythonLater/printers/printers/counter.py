import asyncio


class Counter:
    def __init__(self):
        self.last = 0

    async def number(self):
        found = self.last + 1
        await asyncio.sleep(0)
        self.last = found
        return found
