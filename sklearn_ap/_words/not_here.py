"""What isn't in this package, and what to use instead: the list in not_here.toml."""

from .._package.toml import read_toml


def find_substitute(name: str) -> str:
    """Say what to use in place of a name, an attribute or a parameter that isn't here.

    `name` can also be a parameter with its value, such as "method=randomization", and an option of
    the command line, such as "--model". The sentence is empty if the list doesn't have the name.
    """
    for entry in read_toml("_words/not_here.toml")["entries"]:
        if name in entry.get("names", ()):
            return f"Use {entry['use']}."
    return ""
