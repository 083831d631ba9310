import time


class Hall:
    def __init__(self, seats):
        self.seats = seats

    def has_room(self):
        free = self.seats > 0
        time.sleep(0.002)
        return free

    def sell(self):
        if not self.has_room():
            return False
        self.seats -= 1
        return True
