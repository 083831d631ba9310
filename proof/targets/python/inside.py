"""Commands, a line each: a number of rounds of what functions do."""
import sys

limit = 7


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(f"no {amount}")
        self.balance += amount
        self.history.append(amount)
        return self.balance


def collatz(number):
    steps = 0
    while number != 1:
        if number % 2 == 0:
            number //= 2
        else:
            number = 3 * number + 1
        steps += 1
    return steps


def squares(count):
    for i in range(count):
        square = i * i
        got = yield square
        if got:
            break


def counter():
    seen = {}

    def count(word, *more, weight=1, **rest):
        nonlocal seen
        before = seen.get(word, 0)
        seen = {**seen, word: before + weight}
        for other in more:
            if other == word:
                continue
            seen[other] = seen.get(other, 0) + 1
        else:
            last = len(seen)
        return last

    return count


def guarded(values):
    kept = []
    for value in values:
        try:
            quotient = limit / value
        except ZeroDivisionError:
            quotient = None
        finally:
            kept.append(value)
        if quotient is None:
            continue
        whole = int(quotient)
        kept.append(whole)
    doubled = [one * 2 for one in kept]
    names = {str(one): one for one in doubled if one}
    return sum(doubled), len(names)


def sorted_pairs(items):
    pairs = list(items)
    for i in range(len(pairs)):
        for j in range(len(pairs) - i - 1):
            left, right = pairs[j], pairs[j + 1]
            if left[1] > right[1]:
                pairs[j], pairs[j + 1] = right, left
    first, *others = pairs
    return first, len(others)


def fibonacci(n):
    if n < 2:
        return n
    one = fibonacci(n - 1)
    two = fibonacci(n - 2)
    return one + two


def run(round_number):
    account = Account(f"owner {round_number}")
    for k in range(4):
        try:
            account.deposit(k * 10 - 10 + round_number)
        except ValueError as error:
            message = str(error)
    total = 0
    for square in squares(5):
        total += square
    count = counter()
    words = ["a", "b", "a", "c"][: round_number + 2]
    counted = [count(word, "x", weight=round_number) for word in words]
    kept, names = guarded([1, 0, 3, round_number])
    first, others = sorted_pairs((word, len(word) * k) for k, word in enumerate(words))
    steps = collatz(6 + round_number)
    return account.balance + total + kept + names + others + steps + fibonacci(5) + len(counted)


for line in sys.stdin:
    for number in range(int(line)):
        print(run(number), flush=True)
