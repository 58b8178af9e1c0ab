"""From what a caller passes to rankings."""
