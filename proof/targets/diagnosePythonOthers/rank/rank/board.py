from rank.load import scores
from rank.scale import scaled


def board(texts):
    return {name: scaled(scores(text)) for name, text in texts.items()}
