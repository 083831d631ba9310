from parking.clock import begun_hours, stay
from parking.tariff import cap, rate


class Ticket:
    def __init__(self, kind, came):
        self.kind = kind
        self.came = came

    def fee(self, left):
        hours = begun_hours(stay(self.came, left))
        return min(hours * rate(self.kind), cap(self.kind))
