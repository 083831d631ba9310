"""Headlines of several sources."""
