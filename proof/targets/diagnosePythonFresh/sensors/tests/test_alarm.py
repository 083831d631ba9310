from sensors.alarm import alarms


def test_cool():
    assert alarms(['hall = 20.5', 'hall = 21']) == []


def test_hot():
    assert alarms(['oven = 32', 'oven = 33,5', 'hall = 20']) == ['oven']
