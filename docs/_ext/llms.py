"""llms.txt: a line for each page of the guide, with the address of its source and what it is for.

The site has the sources beside its pages, so that a language model reads them without the menus.
"""

from pathlib import Path
from shutil import copyfile

from descriptions import read_descriptions
from sphinx.application import Sphinx


def write(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    lines = [f"# sklearn_ap\n\n> {app.config.llms_pitch}\n"]
    for name in dict.fromkeys(["getting_started", *app.env.toctree_includes["getting_started"]]):
        if (path := Path(app.env.doc2path(name))).suffix == ".md":
            copyfile(path, Path(app.outdir, path.name))
            title = app.env.titles[name].astext()
            address = f"{app.config.html_baseurl}{path.name}"
            lines.append(f"- [{title}]({address}): {read_descriptions(str(app.srcdir))[name]}")
    Path(app.outdir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("llms_pitch", "", "html", str)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
