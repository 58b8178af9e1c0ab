"""The mathematics: arrays in, numbers out. No validation, no warnings, no scikit-learn."""
