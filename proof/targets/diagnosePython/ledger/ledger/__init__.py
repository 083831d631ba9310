"""A ledger of accounts."""
