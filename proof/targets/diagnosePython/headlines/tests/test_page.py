"""The front page."""

import asyncio

from news.page import front_page, shortened


def test_shortened():
    assert shortened("a" * 30, 10) == "a" * 9 + "…"


def test_front_page():
    page = asyncio.run(front_page(["harbour", "market", "weather"]))
    assert page["market"] == "Apples are cheap"
    assert page["harbour"] == "Ferry is late"
