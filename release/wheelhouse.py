"""Gather every wheel an offline machine needs, with hashes and a bill of materials.

    python release/wheelhouse.py FOLDER [EXTRA,EXTRA]

Run it with the Python, and on the system, that the offline machine has. The folder then holds the
wheel of this checkout and of all it depends on, ``requirements.txt`` with the hash of each, and
``sbom.cdx.json``, the same as CycloneDX with licences.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[1]


def gather(folder: Path, extras: str) -> list[Path]:
    """Build the wheel, and collect those it needs."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.whl"):
        old.unlink()
    wanted = f"{ROOT}[{extras}]" if extras else str(ROOT)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--quiet", "--wheel-dir", str(folder), wanted], check=True)
    return sorted(folder.glob("*.whl"))


def metadata(wheel: Path) -> Message:
    """Read what a wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [n for n in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", n)]
        return HeaderParser().parsestr(archive.read(name).decode("utf-8"))


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def licence(about: Message) -> str:
    """Return the licence a wheel states, in the best of the three ways there are."""
    stated = about["License-Expression"] or ""
    classified = [c for c in about.get_all("Classifier") or [] if c.startswith("License ::")]
    short = (about["License"] or "").strip().splitlines()
    names = [c.rpartition(" :: ")[2] for c in classified]
    return (
        stated or ", ".join(names) or (short[0] if short and len(short[0]) < 80 else "not stated")
    )


def component(wheel: Path) -> dict[str, object]:
    """Describe a wheel as CycloneDX does."""
    about = metadata(wheel)
    name = re.sub(r"[-_.]+", "-", about["Name"]).lower()
    return {
        "type": "library",
        "bom-ref": f"{name}=={about['Version']}",
        "name": name,
        "version": about["Version"],
        "purl": f"pkg:pypi/{quote(name)}@{quote(about['Version'])}",
        "hashes": [{"alg": "SHA-256", "content": digest(wheel)}],
        "licenses": [{"license": {"name": licence(about)}}],
    }


def bill(wheels: list[Path]) -> dict[str, object]:
    """Return the bill of materials of the package."""
    parts = [component(wheel) for wheel in wheels]
    [own] = [part for part in parts if part["name"] == "consilience"]
    others = [part for part in parts if part is not own]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**own, "type": "application"}},
        "components": others,
    }


def main(folder: str, extras: str = "") -> None:
    """Fill the folder, and say how to install from it."""
    place = Path(folder)
    wheels = gather(place, extras)
    lines = []
    for wheel in wheels:
        about = metadata(wheel)
        lines.append(f"{about['Name']}=={about['Version']} --hash=sha256:{digest(wheel)}")
    (place / "requirements.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = json.dumps(bill(wheels), indent=1) + "\n"
    (place / "sbom.cdx.json").write_text(text, encoding="utf-8")
    size = sum(wheel.stat().st_size for wheel in wheels) / 1e6
    print(f"{len(wheels)} wheels, {size:.0f} MB, in {place}. Where there is no index:\n")
    print(
        f"    python -m pip install --no-index --find-links {place.name} --require-hashes "
        f"-r {place.name}/requirements.txt"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
