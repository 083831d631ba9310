"""Calls that a centre takes."""
