"""How long the chapters of a book are."""
