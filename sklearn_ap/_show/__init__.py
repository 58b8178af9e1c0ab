"""How results print, convert and compare, and how progress is shown."""
