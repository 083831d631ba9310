import asyncio

from courier.road import minutes_to


async def survey(stops):
    """The minutes to each stop, in the order of the stops."""
    found = []
    for answer in asyncio.as_completed([minutes_to(stop) for stop in stops]):
        found.append(await answer)
    return found
