"""Inventories of other projects for intersphinx, or without a network none, and no warning."""

from pathlib import Path
from urllib.request import urlopen

SECONDS = 5


def fetch(sites: dict[str, str], folder: Path) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return intersphinx's mapping of the sites that answer, and the names of the others."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping, missing = {}, []
    for name, site in sites.items():
        file = folder / f"{name}.inv"
        try:
            file.write_bytes(_inventory(site))
        except (OSError, ValueError) as error:
            print(f"no links to {site}: {error}")
            missing.append(name)
        else:
            mapping[name] = (site, str(file))
    return mapping, missing


def _inventory(site: str) -> bytes:
    with urlopen(f"{site}objects.inv", timeout=SECONDS) as answer:
        content: bytes = answer.read()
    if not content.startswith(b"# Sphinx inventory"):  # a page of a proxy, say
        raise ValueError("this is no inventory")
    return content
