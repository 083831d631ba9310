"""Invoices of a small shop."""
