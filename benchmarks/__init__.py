"""Timings of sklearn_ap against other libraries: python -m benchmarks."""
