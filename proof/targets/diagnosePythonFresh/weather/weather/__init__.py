"""Temperatures, kept once they were asked for."""
