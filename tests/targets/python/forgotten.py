"""A task fails, and nothing awaits it."""

import asyncio
import gc


async def fail(order):
    raise ValueError(f'no price for {order}')


async def main():
    asyncio.create_task(fail(7))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()


asyncio.run(main())
