"""Validation of all input, with scikit-learn's error messages where it has them."""
