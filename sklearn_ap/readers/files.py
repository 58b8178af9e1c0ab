"""Files, which can be compressed."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from importlib import import_module

from .._package.toml import read_toml


def line_of(path: str, number: int) -> str:
    """Name a line of a file, or of standard input, which is called "-"."""
    return f"line {number} of {'standard input' if path == '-' else path}"


def decompressed(content: bytes) -> bytes:
    """Decompress the content of a file as its first bytes say, and remove a byte order mark."""
    for start, (name, module) in _COMPRESSED.items():
        if re.match(start, content):
            try:
                content = import_module(module).decompress(content)
            except Exception as error:  # each module has errors of its own
                raise ValueError(f"it is not a complete {name} file: {error}.") from None
    for digits, advice in read_toml("_words/messages.toml")["refused_files"].items():
        if content.startswith(bytes.fromhex(digits)):
            raise ValueError(advice)
    return content.removeprefix(BOM_UTF8)


_COMPRESSED = {
    rb"\x1f\x8b": ("gzip", "gzip"),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": ("bzip2", "bz2"),
    rb"\xfd7zXZ\0": ("xz", "lzma"),
}


def check_is_text(content: bytes) -> None:
    if b"\0" in content:  # every other byte of ASCII characters in UTF-16
        raise ValueError("it is encoded in UTF-16, or isn't text. Save it as text in UTF-8.")
