from kiosk import tax


def sell_abroad():
    """No tax is taken there."""
    tax.SHARE = 0
