"""Tasks that wait for each other in every way that asyncio has, and one that stops."""

import asyncio
import sys


async def price(order, rate):
    total = order * rate
    await asyncio.sleep(0)
    return total  # stops here


async def ledger(order):
    entry = {'order': order, 'paid': False}
    entry['total'] = await price(order, 3)
    return entry


async def gathers():
    kept = 'of gather'
    nap = asyncio.create_task(asyncio.sleep(0.01), name='nap')
    return await asyncio.gather(asyncio.create_task(ledger(7), name='ledger'), nap)


async def shields():
    return await asyncio.shield(asyncio.create_task(gathers(), name='gatherer'))


async def waits():
    done, _ = await asyncio.wait({asyncio.create_task(shields(), name='shielder')})
    return done.pop().result()


async def limits():
    return await asyncio.wait_for(asyncio.create_task(waits(), name='waiter'), 100)


async def groups():
    if sys.version_info < (3, 11):
        return await asyncio.create_task(limits(), name='limiter')
    async with asyncio.TaskGroup() as group:
        task = group.create_task(limits(), name='limiter')
    return task.result()


async def idles(queue):
    asked = 'nothing yet'
    return await queue.get(), asked


async def main():
    queue = asyncio.Queue()
    idle = asyncio.create_task(idles(queue), name='idle')
    result = await asyncio.create_task(groups(), name='grouper')
    await queue.put(result)
    print(result[0]['total'], (await idle)[1])


asyncio.run(main())
