"""The mathematics, from arrays to values, without validation, warnings or scikit-learn."""
