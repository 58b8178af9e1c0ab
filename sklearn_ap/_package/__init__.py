"""What is inside of this package: its modules by name, and its files."""
