import asyncio
import threading
import time

accounts = threading.Lock()


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.again = threading.RLock()


def first(ledger, ready):
    with accounts:
        ready.wait()
        with ledger.lock:
            pass


def second(ledger, ready):
    with ledger.lock:
        ready.wait()
        with accounts:
            pass


def third(ledger):
    ledger.again.acquire()
    time.sleep(1000)


def fourth(ledger):
    with ledger.again:
        pass


async def holds(lock):
    async with lock:
        await asyncio.sleep(1000)


async def wants(lock):
    async with lock:
        pass


async def takes(queue):
    await queue.get()


async def main():
    lock = asyncio.Lock()
    tasks = [
        asyncio.create_task(holds(lock), name='holder'),
        asyncio.create_task(wants(lock), name='wanter'),
        asyncio.create_task(takes(asyncio.Queue())),
    ]
    print('stuck', flush=True)
    await asyncio.gather(*tasks)


def fifth(taken):
    def works():
        taken.acquire()
        try:
            time.sleep(1000)
        finally:
            taken.release()

    works()


def sixth(taken):
    taken.acquire()
    taken.release()


def lends(lent):
    lent.acquire()


def seventh(lent):
    lends(lent)
    lent.acquire()


ledger = Ledger()
taken = threading.Lock()
ready = threading.Barrier(2)
for name, target, args in [('first', first, (ledger, ready)), ('second', second, (ledger, ready)), ('third', third, (ledger,)), ('fourth', fourth, (ledger,)), ('fifth', fifth, (taken,)), ('sixth', sixth, (taken,)), ('seventh', seventh, (threading.Lock(),))]:
    threading.Thread(target=target, args=args, name=name, daemon=True).start()
    if name in ('third', 'fifth'):
        time.sleep(0.1)
asyncio.run(main())
