from hits.load import crowd
from hits.meter import Meter


def test_crowd():
    meter = Meter()
    crowd(meter, 3, ["home", "about"])
    assert meter.total() == 6
