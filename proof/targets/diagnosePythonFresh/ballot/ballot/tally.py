from collections import Counter


def tally(counted):
    cast = sum(1 for _ in counted)
    votes = Counter(paper.choice for paper in counted)
    return cast, dict(votes)
