"""Lists in pages."""
