from bins.histogram import Histogram


def test_bars():
    histogram = Histogram(0, 4, 4)
    for value in (0.5, 1.5, 1.6, 3.9):
        histogram.add(value)
    assert histogram.bars() == ["#", "##", "", "#"]
