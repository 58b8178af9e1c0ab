"""What PyInstaller asks for to bundle this package."""

from pathlib import Path


def hook_dirs() -> list[str]:
    """Return the folders with hooks, to which an entry point in pyproject.toml refers."""
    return [str(Path(__file__).parent)]
