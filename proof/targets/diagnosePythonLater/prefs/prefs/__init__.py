"""What users chose."""
