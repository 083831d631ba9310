import asyncio

SLOW = {'hill': 0.03, 'market': 0.015, 'quay': 0.001}
MINUTES = {'hill': 30, 'market': 12, 'quay': 5}


async def minutes_to(stop):
    await asyncio.sleep(SLOW[stop])
    return MINUTES[stop]
