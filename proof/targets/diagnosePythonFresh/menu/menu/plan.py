from menu.week import empty_week


class Plan:
    def __init__(self, canteen):
        self.canteen = canteen
        self.week = empty_week()

    def add(self, day, dish):
        self.week[day].append(dish)
        return self


def plan_from(canteen, lines):
    plan = Plan(canteen)
    for line in lines:
        day, dish = line.split(': ')
        plan.add(day, dish)
    return plan
