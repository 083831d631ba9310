from logs.line import message, moment


def entries(lines):
    for line in lines:
        yield moment(line.split("|")[0].strip()), message(line)


def merged(*files):
    found = [entry for lines in files for entry in entries(lines)]
    return [text for _, text in sorted(found)]
