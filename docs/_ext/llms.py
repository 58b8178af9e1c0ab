"""llms.txt: a line for each page of the guide, with the address of its source and what it is for.

The site has the sources beside its pages, so that a language model reads them without the menus.
"""

import re
from pathlib import Path
from shutil import copyfile

from sphinx.application import Sphinx


def described(source: str) -> tuple[str, str]:
    """The title of a page, and its first sentence."""
    _, title, rest = re.split(r"^# (.+)\n", source, maxsplit=1, flags=re.M)
    text = re.sub(r"^(```|:::).*?^\1$|<!--.*?-->", "", rest, flags=re.M | re.S).split("\n\n")
    first = next(" ".join(each.split()) for each in text if each.strip() and each[0] not in "|{#")
    plain = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", first.strip("*"))
    return title, re.split(r"(?<=[.?])\s", plain, maxsplit=1)[0]


def write(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    lines = [f"# sklearn_ap\n\n> {app.config.llms_pitch}\n"]
    for name in dict.fromkeys(["getting_started", *app.env.toctree_includes["getting_started"]]):
        if (path := Path(app.env.doc2path(name))).suffix == ".md":
            copyfile(path, Path(app.outdir, path.name))
            title, sentence = described(path.read_text(encoding="utf-8"))
            lines.append(f"- [{title}]({app.config.html_baseurl}{path.name}): {sentence}")
    Path(app.outdir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("llms_pitch", "", "html", str)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
