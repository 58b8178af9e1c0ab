"""Inventories of other projects for intersphinx, or without a network none, and no warning."""

from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

SECONDS = 5


def fetch(sites: dict[str, str], folder: Path) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return intersphinx's mapping of the sites that answer, and the names of the others."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping, missing = {}, []
    for name, site in sites.items():
        file = folder / f"{name}.inv"
        try:
            with urlopen(f"{site}objects.inv", timeout=SECONDS) as answer:
                file.write_bytes(answer.read())
        except (URLError, TimeoutError, ConnectionError) as error:
            print(f"no links to {site}: {error}")
            missing.append(name)
        else:
            mapping[name] = (site, str(file))
    return mapping, missing
