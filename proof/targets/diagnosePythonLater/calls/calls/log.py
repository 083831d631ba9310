from calls.moments import day, moment


class Log:
    def __init__(self):
        self.days = {}

    def add(self, line):
        key = day(moment(line)).isoformat()
        self.days[key] = self.days.get(key, 0) + 1


def read(lines):
    log = Log()
    for line in lines:
        log.add(line)
    return log
