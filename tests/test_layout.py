"""The tree shows the architecture: tests mirror the source, exports are what is listed."""

import importlib
import pkgutil
from pathlib import Path

import pytest

import consilience

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "consilience"
MODULES = [m.name for m in pkgutil.walk_packages(consilience.__path__, "consilience.")]


def test_every_test_file_stands_where_its_source_does():
    alone = {"test_estimators.py", "test_layout.py", "test_documents.py"}
    for path in (ROOT / "tests").rglob("test_*.py"):
        place = path.relative_to(ROOT / "tests")
        tree = ROOT if place.parts[0] == "benchmarks" else SOURCE
        source = tree / place.parent / place.name.removeprefix("test_")
        assert place.name in alone or source.exists(), f"{place} tests no file of the source"


def test_every_file_of_the_benchmarks_has_its_test():
    for path in (ROOT / "benchmarks").rglob("*.py"):
        place = path.relative_to(ROOT)
        test = ROOT / "tests" / place.parent / f"test_{place.name}"
        measured_only = place.parts[1] == "speed" or place.name == "__init__.py"
        assert measured_only or test.exists(), f"{place} has no test"


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_lists_it_has(name):
    module = importlib.import_module(name)
    for exported in getattr(module, "__all__", []):
        assert hasattr(module, exported), f"{name}.__all__ lists {exported}"


def test_no_room_without_a_name():
    rooms = {"utils", "util", "common", "helpers", "core", "base", "misc", "types", "constants"}
    files = [*SOURCE.rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    assert not rooms & {path.stem for path in files}
