"""What a call goes through before anything is read: its arguments, metrics and prevalence."""
