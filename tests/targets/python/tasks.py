"""Tasks of asyncio that take turns on one thread, each with a name."""

import asyncio


def step(name, number):
    return f"{name} {number}"


async def walk(name):
    seen = []
    for number in range(2):
        seen.append(step(name, number))
        await asyncio.sleep(0.01)
    return seen


async def main():
    first = asyncio.create_task(walk("a"), name="first")
    second = asyncio.create_task(walk("b"), name="second")
    return await asyncio.gather(first, second)


print(asyncio.run(main()))
