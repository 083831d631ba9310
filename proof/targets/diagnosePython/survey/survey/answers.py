"""Answers as they were written."""


def ages(lines):
    """The age in each line, which may be missing."""
    for line in lines:
        _, _, age = line.partition(":")
        if age.strip().isdigit():
            yield int(age)
