from weather.service import Service, headline


def test_celsius():
    assert Service().temperature('Rome') == 15


def test_headline():
    assert headline(Service(), 'Oslo') == 'Oslo: -5 C, 23 F'
