"""Boards of one workspace."""

from boards.workspace import Workspace


def test_boards_are_apart():
    workspace = Workspace()
    spring = workspace.create("spring", "launch")
    spring.add("open", "Book hall").label("urgent")
    spring.move("Write text", "open", "done")
    workspace.create("autumn", "launch")
    assert workspace.boards["autumn"].titles("open") == ["Write text", "Take photos"]
