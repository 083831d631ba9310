"""Raises what is caught and what is not; a list and a dict longer than what a stop shows."""

numbers = [n * 3 for n in range(1000)]
prices = {f"item{n}": n for n in range(500)}


def parsed(text):
    known = numbers
    return int(text) + len(known)


try:
    parsed("caught")
except ValueError:
    print("caught", flush=True)
parsed("nothing")
