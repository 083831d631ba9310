"""Settings of a service."""
