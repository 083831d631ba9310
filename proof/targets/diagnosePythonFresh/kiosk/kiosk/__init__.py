"""What a kiosk asks for."""
