"""Every Python snippet of the guide runs without a warning and prints what its comments say."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import sklearn

DOCS = Path(__file__).parents[1] / "docs"
# A snippet that needs an optional package says so: <!-- needs: distributed -->
SNIPPET = re.compile(r"(?:^<!-- needs: (\w+) -->\n)?^```python\n(.*?)^```$", re.M | re.S)
PROMISE = re.compile(r"^ *print\(.*\)  # (.+)$", re.M)
PAGES = {path.name: path for path in sorted(DOCS.glob("*.md"))}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}


@pytest.mark.parametrize("page", [name for name in TEXTS if SNIPPET.search(TEXTS[name])])
def test_snippets_print_what_their_comments_say(page, capsys):
    """All of a page in one namespace, after which the configuration is as before."""
    text, namespace, promised = TEXTS[page], {}, []
    with sklearn.config_context():
        for snippet in SNIPPET.finditer(text):
            needed, code = snippet.groups()
            if needed is None or find_spec(needed):
                above = "\n" * text.count("\n", 0, snippet.start(2))  # right lines in a traceback
                exec(compile(above + code, str(PAGES[page]), "exec"), namespace)
                promised += PROMISE.findall(code)
    assert capsys.readouterr().out.splitlines() == promised


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+)\)", TEXTS[page])
    assert [link for link in links if not (DOCS / link).exists()] == []
