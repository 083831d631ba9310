"""How long one is on the way."""
