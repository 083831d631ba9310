"""Means of what sensors send."""
