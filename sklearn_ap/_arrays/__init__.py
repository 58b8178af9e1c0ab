"""Arrays and columns of any library, as plain arrays."""
