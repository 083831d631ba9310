"""What is sold."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Article:
    number: int
    title: str
    kind: str
    cents: int


ARTICLES = {
    article.number: article
    for article in (
        Article(1, "A guide to bees", "book", 2000),
        Article(2, "Honey", "food", 800),
        Article(3, "Smoker", "tool", 3500),
    )
}


def article(number):
    """The article with this number."""
    return ARTICLES[number]


def search(words):
    """Articles whose title holds all the words."""
    wanted = words.lower().split()
    return [each for each in ARTICLES.values() if all(word in each.title.lower() for word in wanted)]
