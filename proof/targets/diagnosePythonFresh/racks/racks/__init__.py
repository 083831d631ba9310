"""Where things lie in a store."""
