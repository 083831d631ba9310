from concurrent.futures import ThreadPoolExecutor


def sold(hall, people):
    with ThreadPoolExecutor(4) as pool:
        return sum(pool.map(lambda _: hall.sell(), range(people)))
