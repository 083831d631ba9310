from logs.merge import merged


def test_merged():
    oslo = ["2026-01-05 10:00 +0100 | started", "2026-01-05 10:30 +0100 | stopped"]
    delhi = ["2026-01-05 14:10 +0500 | called"]
    assert merged(oslo, delhi) == ["started", "called", "stopped"]
