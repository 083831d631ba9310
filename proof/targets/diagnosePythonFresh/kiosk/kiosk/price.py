from kiosk.tax import share_of


def gross(net, kind):
    return net + net * share_of(kind) // 100
