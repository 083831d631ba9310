from sensors.lines import fields, number


class Series:
    def __init__(self, name):
        self.name = name
        self.values = []

    def take(self, value):
        self.values.append(value)

    def mean(self):
        return sum(self.values) / len(self.values)


def read(lines):
    series = {}
    for line in lines:
        name, text = fields(line)
        series.setdefault(name, Series(name)).take(number(text))
    return series
