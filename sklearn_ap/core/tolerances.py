"""How exact floats are."""

MAX_EXACT_INTEGER = 2**53  # floats represent all integers up to here

# Values that are mathematically equal can differ in the last bits, which depend on the order of
# summation. Their relative difference is less than this. Models that truly differ by so little
# would need some 10**12 samples.
ROUNDING_TOLERANCE = 1e-12
# The same for sums of the same weights, of which there can be many, and for what is computed from
# such sums.
SUM_TOLERANCE = 1e-9
