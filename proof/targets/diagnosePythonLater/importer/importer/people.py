from importer.check import is_empty
from importer.rows import rows


def names(found):
    return [row[0] for row in found]


def people(text):
    found = rows(text)
    if is_empty(found):
        return None
    return names(found)
