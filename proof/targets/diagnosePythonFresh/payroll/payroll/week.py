from payroll.amounts import cents, exact


class Week:
    def __init__(self, hours, wage):
        self.hours = hours
        self.wage = wage

    def pay(self):
        return cents(exact(self.hours) * exact(self.wage))


def with_bonus(week, share):
    return cents(week.pay() + week.pay() * exact(share))
