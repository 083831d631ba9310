"""Where vans go."""
