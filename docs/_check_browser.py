"""What only a browser shows: python docs/_check_browser.py FOLDER

It opens pages of the built site in Chromium, wide and as on a phone, and fails if the landing page
has no output on its first screen, if a page scrolls sideways, if a line begins with punctuation
after code, if a picture has letters that are too small to read, or if the search lists the wrong
things. Without Chromium, it only says so.
"""

import json
import math
import re
import subprocess
import sys
import threading
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import quote

WIDTHS = {1280: 800, 390: 844}
MAX_BOTTOM = {1280: 700, 390: 1100}  # of the first output on the landing page
MAX_BROKEN = {1280: 0, 390: 3}  # lines that begin with punctuation after code
MIN_LETTERS = 9  # pixels that a letter of a picture is high
# The sizes of letters in vector graphics: as text, or as shapes of 100 units
LETTERS = re.compile(r"font(?:-size)?: (?:\w+ )*([\d.]+)px|scale\(([\d.]+) -[\d.]+\)")
MAX_HITS, MAX_OF_PAGE = 10, 2
# Searches, and where their first hits are
SEARCHES = {
    "LinkPredMAP": "peers.html#pytorch-geometric",
    "AP at k": "groups.html#ap-at-k",
    "yolo": "detection.html#why-map-differs-from-yolo-voc-and-other-tools",
    "better than chance": "confidence_intervals.html#is-it-better-than-chance",
}
MEASURE = """
<script>
window.addEventListener("load", () => setTimeout(() => {
  const output = document.querySelector("article div.highlight");
  const broken = [...document.querySelectorAll("article :is(p, li, dd) code")].filter((code) => {
    const after = code.closest("a")?.nextSibling ?? code.nextSibling;
    if (code.closest("td, th")) return false; // which are narrow
    if (after?.nodeType !== Node.TEXT_NODE || !/^[.,:;)?!]/.test(after.data)) return false;
    const range = document.createRange();
    range.setStart(after, 0);
    range.setEnd(after, 1);
    const ends = code.getClientRects();
    return range.getBoundingClientRect().top > ends[ends.length - 1].bottom - 4;
  });
  const found = {
    bottom: output ? output.getBoundingClientRect().bottom + scrollY : null,
    broken: broken.length,
    wider: document.documentElement.scrollWidth - innerWidth,
    pictures: [...document.querySelectorAll('article img[src$=".svg"]')].map(
      (img) => [new URL(img.src).pathname, img.getBoundingClientRect().width]
    ),
  };
  top.document.body.setAttribute("data-measured", JSON.stringify(found));
}, 500));
</script>
"""


class Handler(SimpleHTTPRequestHandler):
    """Serve the site, with a script that measures in each page, and pages within frames.

    Windows of Chromium are at least 500 pixels wide, but frames can be as wide as a phone.
    """

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if self.path.startswith("/framed/"):
            _, _, width, page = self.path.split("/", 3)
            size = f'width="{width}" height="{WIDTHS[int(width)]}"'
            content = f'<body><iframe {size} frameborder="0" src="/{page}"></iframe></body>'
        elif path.suffix == ".html" and path.exists():
            content = path.read_text(encoding="utf-8").replace("</body>", f"{MEASURE}</body>")
        else:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(content.encode())
        return None

    def log_message(self, *_: object) -> None:
        pass


def dump(browser: str, address: str) -> str:
    """Return the document after its scripts have run."""
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--virtual-time-budget=5000",
    ]
    done = subprocess.run(
        [browser, *options, "--window-size=1400,1000", "--dump-dom", address],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout


def measure(browser: str, address: str) -> dict[str, Any]:
    found = re.search(r'data-measured="(.*?)"', dump(browser, address))
    if not found:
        sys.exit(f"{address} could not be measured")
    return dict(json.loads(unescape(found[1])))


def check_search(browser: str, site: str, folder: Path) -> list[str]:
    wrong = []
    for text, place in SEARCHES.items():
        page = dump(browser, f"{site}/search.html?q={quote(text)}")
        hits = re.findall(r'<li class="kind-\w+"><a href="([^"]+)"', page)
        pages = [hit.partition("#")[0] for hit in hits]
        if not hits or hits[0] != place:
            wrong.append(f"{text!r} should find {place} first, but finds {hits[:3]}")
        if len(hits) > MAX_HITS or max(map(pages.count, pages), default=0) > MAX_OF_PAGE:
            wrong.append(f"{text!r} has {len(hits)} hits: {hits}")
        for before, marked, after in re.findall(
            r'(.)<span class="highlighted">(.*?)</span>(.)', page
        ):
            if before.isalnum() or after.isalnum():
                wrong.append(f"{text!r} is marked within a word: {before}{marked}{after}")
        wrong += check_excerpts(page, folder)
    return wrong


def check_excerpts(results: str, folder: Path) -> list[str]:
    """Check that each excerpt is from its hit's section, and that "..." stands for formulas."""
    from bs4 import BeautifulSoup  # which those have who build the site

    script = (folder / "_static" / "search.js").read_text(encoding="utf-8")
    hidden = re.search(r'const hidden =\s+"(.+)"', script)
    assert hidden
    wrong = []
    for hit in BeautifulSoup(results, "html.parser").select("ul.search > li:has(p.context)"):
        place, excerpt = str(hit.a["href"]), hit.select_one("p.context").get_text()
        name, _, anchor = place.partition("#")
        page = BeautifulSoup((folder / name).read_text(encoding="utf-8"), "html.parser")
        section = page.find(id=anchor) if anchor else page.article.section
        if section.name != "section":  # but a name within it
            section = section.find_parent("section")
        for table in section.select("table"):  # whose cells are named by their headings
            headings = [each.get_text().strip() for each in table.select("thead th")]
            for row in table.select("tr"):
                for heading, cell in list(zip(headings, row.select("td"), strict=False))[1:]:
                    cell.insert(0, f"{heading}:" if heading else "")
        for part in section.select(hidden[1]):
            part.decompose()
        if section.find(lambda part: part.name != "section", recursive=False):
            for part in section.select("section"):
                part.decompose()
        for formula in section.select("math"):
            formula.replace_with("\u2026")
        for code in section.select("pre"):
            code.string = re.sub(r"(?m)^(import|from) .*\n", "", code.get_text())
        text, shown = (
            re.sub(r"\u2026+", "\u2026", re.sub(r"[\s\u00b7]", "", each))
            for each in (section.get_text(), excerpt)
        )
        if shown.removesuffix("\u2026") not in text:
            wrong.append(f"{place} has the excerpt {excerpt!r}")
    return wrong


def find_smallest_letters(picture: Path, width: float) -> float:
    """Return the height in pixels of a picture's smallest letters if it is shown this wide."""
    text = picture.read_text(encoding="utf-8")
    unit = width / float(text.partition('viewBox="')[2].split()[2])
    sizes = [float(size or 100 * float(scale)) for size, scale in LETTERS.findall(text)]
    return unit * min(sizes, default=math.inf)


def check_pages(browser: str, site: str, folder: Path, pages: list[str]) -> list[str]:
    wrong = []
    for width in WIDTHS:
        broken = {}
        for page in pages:
            found = measure(browser, f"{site}/framed/{width}/{page}")
            if found["broken"]:
                broken[page] = found["broken"]
            if found["wider"] > 0:
                wrong.append(f"{page} is {found['wider']:g} pixels wider than {width}")
            for picture, shown_width in found["pictures"]:
                size = find_smallest_letters(folder / picture.lstrip("/"), shown_width)
                if round(size, 1) < MIN_LETTERS:
                    wrong.append(f"{page} has letters of {size:.1f} pixels at {width}: {picture}")
            if page == "index.html" and not (found["bottom"] or 1e9) <= MAX_BOTTOM[width]:
                wrong.append(f"the first output ends at {found['bottom']} of {width} wide pages")
        n_broken = sum(broken.values())
        print(f"{width} pixels: {n_broken} lines begin with punctuation after code: {broken}")
        if n_broken > MAX_BROKEN[width]:
            wrong.append(f"{n_broken} lines begin with punctuation after code at {width} pixels")
    return wrong


def main(folder: Path) -> int:
    browser = which("chromium")
    if browser is None:
        print("Chromium isn't installed, so nothing was looked at")
        return 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_address[1]}"
    pages = ["index.html", *sorted(page.with_suffix(".html").name for page in folder.glob("*.md"))]
    for page in sorted(folder.glob("auto_examples/plot_*.html")):
        if "/sphx_glr_" in page.read_text(encoding="utf-8"):  # unless the build left pictures out
            pages.append(f"auto_examples/{page.name}")
    wrong = check_search(browser, site, folder) + check_pages(browser, site, folder, pages)
    print(*wrong, sep="\n")
    server.shutdown()
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
