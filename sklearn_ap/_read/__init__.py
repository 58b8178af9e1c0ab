"""From what a caller passes to rankings. Others import `tables`, `validation` and `samples`."""
