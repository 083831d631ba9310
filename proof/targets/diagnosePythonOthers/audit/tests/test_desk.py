from audit.desk import Desk


def test_summary():
    desk = Desk()
    desk.act("ann", "opened")
    desk.act("bob", "wrote")
    desk.act("ann", "closed")
    assert desk.summary("bob") == "bob: wrote"
