import asyncio

from printers.counter import Counter
from printers.job import Job


class Desk:
    def __init__(self):
        self.counter = Counter()

    async def submit(self, title):
        return Job(await self.counter.number(), title)

    async def submit_all(self, titles):
        jobs = await asyncio.gather(*(self.submit(title) for title in titles))
        return [job.label() for job in jobs]
