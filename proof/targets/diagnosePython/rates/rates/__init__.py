"""Rates of exchange."""
