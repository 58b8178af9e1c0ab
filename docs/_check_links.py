"""Whether the links within the built site lead somewhere: python docs/_check_links.py FOLDER

So do the old addresses of moved.toml.
"""

import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places in it that a link may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def broken(folder: Path) -> list[str]:
    files = (path.resolve() for path in folder.rglob("*.html") if "_static" not in path.parts)
    pages = {path: Page(path) for path in files}
    found = []
    for path, page in pages.items():
        for link in sorted(page.links):
            url = urlsplit(link)
            if (url.scheme or url.netloc) and url.scheme != "mailto":  # that would be an AP@10
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            there = target in pages and unquote(url.fragment) in pages[target].places
            if not (there or (target.is_file() and target not in pages)):
                found.append(f"{path.relative_to(folder.resolve())}: {link}")
    print(f"{len(pages)} pages, {len(found)} broken links")
    return [*found, *lost(pages, folder.resolve())]


def lost(pages: dict[Path, Page], folder: Path) -> list[str]:
    """Old addresses that lead nowhere, or that are places of a page still."""
    text = Path(__file__).with_name("moved.toml").read_text(encoding="utf-8")
    found = []
    for old, anchors in tomllib.loads(text).items():
        before = pages[folder / f"{old}.html"]
        for anchor, place in anchors.items():
            name, _, now = place.partition("#")
            after = pages.get(folder / f"{name}.html")
            if after is None or now not in after.places or (anchor and anchor in before.places):
                found.append(f"moved.toml: {old}#{anchor} = {place}")
    return found


if __name__ == "__main__":
    if links := broken(Path(sys.argv[1])):
        sys.exit("\n".join(links))
