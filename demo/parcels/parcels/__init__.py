"""Quotes prices for parcels, as a small web shop's shipping service does."""
