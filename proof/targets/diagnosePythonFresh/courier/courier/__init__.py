"""When a courier is where."""
