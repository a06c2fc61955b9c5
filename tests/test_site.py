"""The site leaves nothing out: every page has a place, every public name a page."""

import importlib
import json
import re
from pathlib import Path

import pytest

from test_public_names import names

ROOT = Path(__file__).parents[1]
TOC = (ROOT / "docs" / "toc.yml").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_every_page_has_a_place_in_the_table_of_contents():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *NOTEBOOKS]
    named = set(re.findall(r"(?:file|root): (\S+)", TOC))
    found = {str(page.relative_to(ROOT).with_suffix("").as_posix()) for page in pages}
    assert found - named == set(), "pages without a place in docs/toc.yml"
    assert named - found == {"docs/api"}


def test_every_public_name_has_a_page():
    listed = {
        f"consilience.{name}" for name in re.findall(r"^   ([\w.]+)$", REFERENCE, re.MULTILINE)
    }
    missing = sorted(set(names()) - listed)
    assert not missing, f"docs/api.rst has no page for {missing}"


def test_the_reference_names_only_what_is_there():
    for name in re.findall(r"^   ([\w.]+)$", REFERENCE, re.MULTILINE):
        module, _, attribute = f"consilience.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_from_top_to_bottom(path):
    # That it runs is seen by `make docs`, which executes it; here, that what is shown came so.
    cells = [
        c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"
    ]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(o["output_type"] == "error" for cell in cells for o in cell["outputs"])
    assert sum(bool(cell["outputs"]) for cell in cells) > 2
