"""Tickets of a show."""
