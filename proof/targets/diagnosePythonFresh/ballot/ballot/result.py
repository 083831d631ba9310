from ballot.papers import papers, valid
from ballot.tally import tally


def winner(text):
    cast, votes = tally(valid(papers(text)))
    for choice, count in votes.items():
        if count * 2 > cast:
            return choice
    return None
