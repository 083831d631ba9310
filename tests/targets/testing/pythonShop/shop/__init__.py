"""Prices, carts and invoices."""
