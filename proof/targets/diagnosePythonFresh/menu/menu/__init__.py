"""What a canteen cooks in a week."""
