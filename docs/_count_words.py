"""How many words readers of the site meet: python docs/_count_words.py FOLDER

It counts the words of the pages, which have a letter or a digit, those of the built reference, but
for menus and the hidden copies of titles in links, and what `help` of the package prints. What
pages.py writes from data isn't counted where a reader looks up one entry of many, such as a tool.
"""

import pydoc
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import sklearn_ap

DOCS = Path(__file__).parent
NOT_COUNTED = re.compile(r"<!-- looked up -->.*?<!-- end of what is looked up -->|<!--.*?-->", re.S)
UNREAD = {"annotation", "button", "script", "style", "svg"}  # elements without text for readers


class Article(HTMLParser):
    """The text within `<article>`, which is the page without its menus."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.unread = 0, 0
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside += tag == "article"
        self.unread += tag in UNREAD

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag == "article"
        self.unread -= tag in UNREAD

    def handle_data(self, data: str) -> None:
        if self.inside and not self.unread and data != "#":  # which links to the heading
            self.text.append(data)


def n_words(page: Path) -> int:
    article, text = Article(), page.read_text(encoding="utf-8")
    article.feed(re.sub(r'<div class="sphx-glr-thumbnail-title">.*?</div>', "", text, flags=re.S))
    return len(" ".join(article.text).split())


def words_in(page: Path) -> int:
    text = page.read_text(encoding="utf-8")
    text = re.sub(
        r"<!-- looked up -->.*?<!-- end of what is looked up -->|<!--.*?-->", "", text, flags=re.S
    )
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def counted(folder: Path) -> dict[str, dict[str, int]]:
    """The words by page, of each kind of page."""
    pages, reference = sorted(DOCS.glob("*.md")), sorted(folder.glob("generated/*.html"))
    return {
        "pages": {page.stem: words_in(page) for page in pages},
        "reference": {page.stem: n_words(page) for page in reference},
        "help(sklearn_ap)": {"help": len(pydoc.render_doc(sklearn_ap).split())},
    }


if __name__ == "__main__":
    found = counted(Path(sys.argv[1]))
    for part, pages in found.items():
        for page, n in sorted(pages.items(), key=lambda row: -row[1]):
            print(f"{n:8,}  {page}")
        print(f"{sum(pages.values()):8,}  {part}\n")
