"""From rankings, or the chunks of an engine, to values, thresholds and checks."""
