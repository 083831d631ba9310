"""Who wins a vote."""
