from rank.board import board


def test_board():
    assert board({"red": "5,10", "blue": "4,2"}) == {"red": [50, 100], "blue": [100, 50]}
