import asyncio

from printers.desk import Desk


def test_one():
    assert asyncio.run(Desk().submit_all(['letter'])) == ['1-letter']


def test_three():
    labels = asyncio.run(Desk().submit_all(['letter', 'poster', 'bill']))
    assert labels == ['1-letter', '2-poster', '3-bill']
