"""What a call goes through before anything is read: its arguments and metrics."""
