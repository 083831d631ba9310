"""python -m parcels SECONDS"""

import asyncio
import sys

from .auditor import Auditor
from .quotes import Quoter
from .rates import Rates
from .shop import Shop
from .store import Store


async def main(seconds: float) -> None:
    store = Store()
    quoter = Quoter(Rates(store, seconds=0.5), store)
    shops = [Shop(name, quoter, seed) for seed, name in enumerate(("books", "plants", "tools"))]
    tasks = [asyncio.create_task(shop.run(), name=shop.name) for shop in shops]
    tasks.append(asyncio.create_task(Auditor(store, shops).run(), name="auditor"))
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
