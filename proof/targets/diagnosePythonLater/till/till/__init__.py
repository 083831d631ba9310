"""What is in a till at night."""
