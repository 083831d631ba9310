"""Reads lists of people."""
