from matinee.desks import sold
from matinee.hall import Hall


def income(seats, people, price):
    return sold(Hall(seats), people) * price
