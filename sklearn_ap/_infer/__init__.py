"""From values to intervals and comparisons: how much a value varies, and what that says."""
