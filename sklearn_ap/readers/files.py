"""Files, which can be compressed, and the names in them, which may not be UTF-8."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import IO, Any

from .._package import read_toml
from .._words.parameters import format_value
from .._words.refusals import ErrorContext, Refusal

Source = str | PathLike[str] | IO[Any]
ESCAPED_BYTES = "surrogateescape"  # which keeps names that aren't UTF-8


def is_source(value: Any) -> bool:
    """Whether this is a path or an open file."""
    return isinstance(value, str | PathLike) or hasattr(value, "read")


def name_source(source: Source, role: str) -> str:
    """Return what errors call a file: its path, or without one the name of the parameter."""
    if isinstance(source, str | PathLike):
        return str(source)
    return str(getattr(source, "name", role))


def make_file_error(words: str) -> ValueError:
    """Return an error whose words name the file that it is about."""
    return ValueError(Refusal(words, names_file=True))


def name_files_in_errors(**sources: Any) -> ErrorContext:
    """Append the files, by the parameters that they were passed as, to errors that name none."""
    names = {role: name_source(each, "") for role, each in sources.items() if is_source(each)}
    named = [f"{role} is {name!r}" for role, name in names.items() if name]

    def tell(refusal: Refusal) -> None:
        if named and not refusal.names_file:
            refusal.files = f" ({', '.join(named)})"
            refusal.names_file = True

    return ErrorContext(tell)


def read_content(source: Source, role: str) -> bytes:
    """Read and decompress a file, whose `role` is the parameter that it was passed as."""
    if isinstance(source, str) and ("\n" in source or source[:2] in ('{"', "[{")):
        raise ValueError(f"{role} must be a path, but got text. Pass it as io.StringIO({role}).")
    content = Path(source).read_bytes() if isinstance(source, str | PathLike) else source.read()
    if isinstance(content, str):
        content = content.encode(errors=ESCAPED_BYTES)
    try:
        content = decompress(content)
        if role not in ("annotations", "detections"):  # whose JSON may have any encoding
            check_is_text(content)
    except ValueError as error:
        raise make_file_error(f"{name_source(source, role)} cannot be read: {error}") from None
    return content


def parse_json(content: bytes) -> Any:
    """Parse JSON, whose objects must have each key once. Python would keep the last value."""
    try:
        return json.loads(content, object_pairs_hook=_make_dict)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _make_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {key!r} is there twice in {format_value(made)}")
    return made


def decode(name: bytes) -> str:
    return name.decode(errors=ESCAPED_BYTES)


def encode(name: str) -> bytes:
    return name.encode(errors=ESCAPED_BYTES)


def escape(name: str) -> str:
    """Write a name as it would be read from a file."""
    return decode(encode(name))


def decompress(content: bytes) -> bytes:
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
