"""From rankings to values, thresholds and checks."""
