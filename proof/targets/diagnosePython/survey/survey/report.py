"""The report."""

from survey.answers import ages
from survey.numbers import summarise


def sentence(count, mean):
    return f"{count} answers, {mean:.1f} years"


def report(groups):
    """A sentence for each group."""
    result = {}
    for name, lines in groups.items():
        summary = summarise(ages(lines))
        result[name] = sentence(summary.count, summary.mean())
    return result
