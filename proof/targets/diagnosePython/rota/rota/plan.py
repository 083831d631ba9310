"""The plan of a site."""

from rota.days import day_of, weekday_name
from rota.shift import parse
from rota.zones import zone_of


class Plan:
    def __init__(self, site, lines):
        self.site = site
        self.shifts = [parse(line) for line in lines]

    def people_on(self, day):
        zone = zone_of(self.site)
        return [shift.person for shift in self.shifts if day_of(shift.begins, zone) == day]

    def hours_of(self, person):
        return sum(shift.hours for shift in self.shifts if shift.person == person)

    def title(self, day):
        return f"{weekday_name(day)}: {', '.join(self.people_on(day))}"
