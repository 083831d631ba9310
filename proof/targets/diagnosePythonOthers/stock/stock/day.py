import asyncio

from stock.robot import Robot


async def day(shelf, loads):
    robots = [Robot(f"r{at}", shelf) for at, _ in enumerate(loads)]
    return sum(await asyncio.gather(*(robot.put(load) for robot, load in zip(robots, loads))))
