"""The site is made of what is there: names in the reference, notebooks that were run."""

import importlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REFERENCE = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


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
