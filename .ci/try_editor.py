"""Ask a language server what editors show for each public name: python .ci/try_editor.py COMMAND

The command starts the server, as in `basedpyright-langserver --stdio`.
"""

import inspect
import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from urllib.parse import unquote, urlparse

import sklearn_ap

ROOT = Path(sklearn_ap.__file__).parents[1]
SOURCE = (ROOT / "not_saved.py").as_uri()


class Server:
    """A language server, which is asked one question at a time."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.numbers = count(1)
        folder = {"uri": ROOT.as_uri(), "name": "sklearn_ap"}
        can = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
        self.ask("initialize", processId=None, capabilities=can, workspaceFolders=[folder])
        self.send(method="initialized", params={})

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(text), text))
        self.process.stdin.flush()

    def receive(self):
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not size:
            raise SystemExit("The language server has ended.")
        return json.loads(self.process.stdout.read(size))

    def ask(self, method, **params):
        number = next(self.numbers)
        self.send(id=number, method=method, params=params)
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == number:
                return message["result"]
            if "method" in message and "id" in message:  # it asks for settings
                none = [{} for _ in (message.get("params") or {}).get("items", ())]
                self.send(id=message["id"], result=none)


def main(*command):
    server = Server(*command)
    names = sklearn_ap.__all__
    text = "import sklearn_ap as ap\n" + "".join(f"ap.{name}\n" for name in names)
    document = {"uri": SOURCE, "languageId": "python", "version": 1, "text": text}
    server.send(method="textDocument/didOpen", params={"textDocument": document})
    wrong = [name for line, name in enumerate(names, 1) if not is_shown(server, line, name)]
    server.process.kill()
    if wrong:
        raise SystemExit(f"Editors don't show the signature, docstring and source of {wrong}.")
    print(f"Editors show signatures, docstrings and sources of {len(names)} names.")


def is_shown(server, line, name):
    place = {"textDocument": {"uri": SOURCE}, "position": {"line": line, "character": 4}}
    shown = (server.ask("textDocument/hover", **place) or {"contents": {"value": ""}})["contents"]
    found = server.ask("textDocument/definition", **place) or []
    public = getattr(sklearn_ap, name)
    signature, _, doc = shown["value"].partition("---")
    expected = inspect.getdoc(public).split()
    parameters = [] if inspect.isclass(public) else inspect.signature(public).parameters
    return (
        all(parameter in signature for parameter in parameters)
        # Servers turn docstrings into Markdown, but leave the words of a sentence.
        and expected[:5] == doc.split()[:5]
        and len(doc.split()) > 0.8 * len(expected)
        and any(leads_to(public, name, place) for place in found)
    )


def leads_to(public, name, place):
    path = Path(unquote(urlparse(place["uri"]).path))
    if path.suffix != ".py":
        return False
    line = path.read_text(encoding="utf-8").splitlines()[place["range"]["start"]["line"]]
    word = "class" if inspect.isclass(public) else "def"
    return line.startswith((f"{word} {name}(", f"{word} {name}:"))


if __name__ == "__main__":
    main(*sys.argv[1:])
