"""How sentences write parameters."""

_WORDS = ("denominator", "k_counts", "method", "unjudged", "unjudged_queries")  # have such values


def spell(name: str) -> str:
    """Write the name of a parameter."""
    return name


def arg(name: str, value: object = "") -> str:
    """Write a parameter with its value, or with what comes before one."""
    return f"{name}={value!r}" if name in _WORDS and value else f"{name}={value}"
