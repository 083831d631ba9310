"""Amounts of money."""

from decimal import Decimal


def parse_amount(text):
    """`1,234.50` as a number of euros."""
    sign = -1 if text.startswith("-") else 1
    return sign * Decimal(float(text.lstrip("-").replace(",", "")))


def shown(amount):
    return f"{amount:,.2f}"
