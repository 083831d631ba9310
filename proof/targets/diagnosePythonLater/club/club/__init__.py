"""What members of a club pay."""
