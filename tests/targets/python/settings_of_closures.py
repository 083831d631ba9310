"""What closures.py changes."""

total = 0
