from split.bill import Bill


def test_even():
    bill = Bill(0.7, {"ann": 0.1, "bob": 0.1, "cem": 0.1})
    assert bill.is_even()
