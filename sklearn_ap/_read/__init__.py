"""From what a caller passes to rankings: labels, columns, units, tables and engines."""
