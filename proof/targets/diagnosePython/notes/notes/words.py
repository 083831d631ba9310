"""Words of a text."""

import re

WORD = re.compile(r"#?\w+")


def words(text):
    return WORD.findall(text)


def is_tag(word):
    return word.startswith("#") and len(word) > 1
