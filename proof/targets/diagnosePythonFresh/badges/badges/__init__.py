"""Badges for the members of a club."""
