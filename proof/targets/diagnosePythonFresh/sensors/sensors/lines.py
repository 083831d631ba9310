def fields(line):
    name, _, value = line.partition('=')
    return name.strip(), value.strip()


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0
