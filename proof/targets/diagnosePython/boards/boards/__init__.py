"""Boards with cards in columns."""
