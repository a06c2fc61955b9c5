"""placeholder"""

from collections.abc import Iterator
from pathlib import Path


def write_page(results: Path, docs: Path) -> Iterator[Path]:
    yield from ()
