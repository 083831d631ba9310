"""Who works when."""
