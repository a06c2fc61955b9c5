"""A folder of files as a bag (BagIt 1.0, RFC 8493): every file with its SHA-512, all or nothing."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from consilience.exceptions import StudyError

__all__ = ["write_bag", "write_folder"]

DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


def write_bag(folder: Path, files: Mapping[str, bytes | Path], info: Mapping[str, str]) -> None:
    """Write files as a bag.

    Parameters
    ----------
    folder : Path
        The bag to be; it must not exist.
    files : mapping of str to bytes or Path
        Its payload by name: the content, or the file to copy.
    info : mapping of str to str
        What ``bag-info.txt`` says.
    """
    tags: dict[str, bytes | Path] = {
        "bagit.txt": DECLARATION.encode(),
        "bag-info.txt": "".join(f"{name}: {value}\n" for name, value in info.items()).encode(),
        "manifest-sha512.txt": _manifest({f"data/{name}": of for name, of in files.items()}),
    }
    tags["tagmanifest-sha512.txt"] = _manifest(tags)
    write_folder(folder, {**tags, **{f"data/{name}": of for name, of in files.items()}})


def write_folder(folder: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write a folder that appears when all of it is there; one that exists is never changed."""
    if folder.exists():
        raise StudyError(f"{folder} exists; an export is never overwritten. Choose another --out.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as aside:
        made = Path(aside) / folder.name
        for name, of in files.items():
            target = made / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(of, Path):
                shutil.copyfile(of, target)
            else:
                target.write_bytes(of)
        made.rename(folder)


def _manifest(files: Mapping[str, bytes | Path]) -> bytes:
    return "".join(f"{_sha512(of)}  {name}\n" for name, of in sorted(files.items())).encode()


def _sha512(of: bytes | Path) -> str:
    if isinstance(of, bytes):
        return hashlib.sha512(of).hexdigest()
    with of.open("rb") as stream:
        return hashlib.file_digest(stream, "sha512").hexdigest()
