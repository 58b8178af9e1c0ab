"""What a call consists of."""
