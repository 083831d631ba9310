"""Money of other countries."""
