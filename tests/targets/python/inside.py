"""Commands, a line each: a number of rounds. Each is done here and in a thread, and answered by "done"."""
import sys
import threading

sold = 0
gConfig = {"rate": 2}


class Cart:
    owner = "me"

    def __init__(self):
        self.items = []

    @property
    def first(self):
        raise RuntimeError("a property ran")

    def total(self, scale):
        global sold
        total = 0
        for i, item in enumerate(self.items):
            each = item["price"] * item["count"]
            total += each
        scaled = [one["price"] * scale for one in self.items]
        if total > 25:
            sold -= 100
        sold += total
        return total + len(scaled)


def buy(number):
    cart = Cart()
    for k in range(number % 3 + 1):
        cart.items.append({"name": f"n{k}", "price": 10 * k, "count": k})
    password = "secret"

    def got():
        bought = cart.total(gConfig["rate"])
        return bought + len(password)

    return got()


def serve(rounds):
    return ",".join(str(buy(number)) for number in range(rounds))


def waiting():
    while True:
        rounds = yield
        answer = serve(rounds)
        print(answer, flush=True)


running = waiting()
next(running)
print("ready", flush=True)
for line in sys.stdin:
    rounds = int(line)
    running.send(rounds)
    thread = threading.Thread(target=lambda: print(serve(rounds), flush=True))
    thread.start()
    thread.join()
    print("done", flush=True)
