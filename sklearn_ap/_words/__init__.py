"""What the package says and what it accepts: parameters, names of metrics, messages, and arrays."""
