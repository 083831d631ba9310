"""What people earn in a week."""
