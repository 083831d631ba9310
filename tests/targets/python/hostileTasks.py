"""Tasks of classes that lie and raise, more of them than are shown, and some that are done."""

import asyncio
import sys


class Hostile(asyncio.Task):
    def get_name(self):
        print('get_name ran')
        raise RuntimeError

    def __repr__(self):
        print('__repr__ ran')
        raise RuntimeError

    def __hash__(self):
        return object.__hash__(self)

    @property
    def kept(self):
        print('a property ran')
        raise RuntimeError

    def __getattribute__(self, name):
        if name in ('_coro', '_name', '_fut_waiter', '_callbacks', '_state'):
            print(f'{name} was asked for')
        return super().__getattribute__(name)


class Value:
    def __repr__(self):
        print('__repr__ of a value ran')
        raise RuntimeError


async def waits(event, number):
    value = Value()
    await event.wait()
    return value, number


async def ends():
    return 1


async def main():
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    hostile = Hostile(waits(event, -1), loop=loop, name='hostile')
    done = [asyncio.create_task(ends()) for _ in range(3)]
    many = [asyncio.create_task(waits(event, i), name=f'many {i}') for i in range(int(sys.argv[1]))]
    await asyncio.sleep(0)
    honest = asyncio.all_tasks
    asyncio.all_tasks = asyncio.tasks.all_tasks = lambda *_: print('all_tasks ran')
    await asyncio.sleep(0)
    print('ready', len(done))  # stops here
    asyncio.all_tasks = asyncio.tasks.all_tasks = honest
    event.set()
    await asyncio.gather(hostile, *many)
    print('whole', len(many))


asyncio.run(main())
