"""The report."""

from survey.report import report


def test_nobody_answered():
    assert report({"north": ["ann: ?"]}) == {"north": "0 answers, 0.0 years"}


def test_two_groups():
    told = report({"north": ["ann: 30", "bob: 40", "cid:"], "south": ["dee: 25"]})
    assert told["north"] == "2 answers, 35.0 years"
