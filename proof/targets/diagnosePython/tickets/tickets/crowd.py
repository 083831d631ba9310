"""Many who buy at once."""

from concurrent.futures import ThreadPoolExecutor


def rush(office, buyers, pieces=1):
    """How many of the buyers got theirs."""
    with ThreadPoolExecutor(buyers) as pool:
        return sum(pool.map(lambda _: office.sell(pieces), range(buyers)))
