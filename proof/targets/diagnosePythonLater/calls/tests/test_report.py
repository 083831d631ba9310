from calls.report import busiest


def test_noon():
    assert busiest(['2026-06-01T12:00-04:00']) == '2026-06-01'


def test_late_calls():
    lines = ['2026-06-01T22:30-04:00', '2026-06-01T21:10-04:00', '2026-06-02T09:00-04:00']
    assert busiest(lines) == '2026-06-01'
