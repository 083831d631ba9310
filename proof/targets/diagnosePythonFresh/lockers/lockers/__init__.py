"""Lockers that visitors take."""
