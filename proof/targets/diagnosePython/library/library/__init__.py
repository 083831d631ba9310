"""Loans of a library."""
