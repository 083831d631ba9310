"""The front page."""

from news.gather import read_all


def shortened(text, width=24):
    return text if len(text) <= width else text[: width - 1] + "…"


async def front_page(names):
    """Headline by source."""
    headlines = await read_all(names)
    return {name: shortened(headline) for name, headline in zip(names, headlines)}
