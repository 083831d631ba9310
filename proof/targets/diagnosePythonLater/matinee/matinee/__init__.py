"""Tickets of a small cinema."""
