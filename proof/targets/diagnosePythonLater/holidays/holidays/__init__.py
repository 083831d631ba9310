"""Free days of countries."""
