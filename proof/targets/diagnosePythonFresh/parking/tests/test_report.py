from parking.report import day
from parking.ticket import Ticket


def test_whole_hours():
    assert day([(Ticket('car', '10:00'), '12:00')]) == 4


def test_most_for_a_day():
    assert day([(Ticket('van', '06:00'), '20:00')]) == 24


def test_evening():
    assert day([(Ticket('car', '18:00'), '19:10'), (Ticket('van', '18:30'), '20:30')]) == 10
