"""The tree shows the architecture: tests mirror the source, exports are what is listed."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import consilience

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "consilience"
TESTS = ROOT / "tests"
FILES = sorted(path for path in SOURCE.rglob("*.py"))
MODULES = [m.name for m in pkgutil.walk_packages(consilience.__path__, "consilience.")]

ABOUT_ALL = {
    "test_before.py",
    "test_documents.py",
    "test_estimators.py",
    "test_layout.py",
    "test_public_names.py",
    "test_release.py",
    "test_site.py",
}
"""Test files of the whole package, and of none of its files."""
MAX_LINES, MAX_BODY = 400, 50
CLOSED_LIST = "messages.py"
"""Everything that can be sent stands in one file, however long."""


def test_every_test_file_stands_where_its_source_does():
    places = [path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")]
    mirrored = [place for place in places if place.name not in ABOUT_ALL]
    alone = [
        str(place)
        for place in mirrored
        if not (tree_of(place) / place.parent / place.name.removeprefix("test_")).exists()
    ]
    assert not alone, f"{alone} test no file of the source"


def tree_of(place):
    """Return where the file a test is about stands: tests of benchmarks lie among the others."""
    return ROOT if place.parts[0] == "benchmarks" else SOURCE


def test_every_file_of_the_source_has_its_tests():
    places = [path.relative_to(SOURCE) for path in FILES if not path.name.startswith("__")]
    missing = [
        str(place) for place in places if not (TESTS / place.parent / f"test_{place.name}").exists()
    ]
    assert not missing, f"{missing} have no file of tests"


def test_every_file_of_the_benchmarks_has_its_test():
    for path in (ROOT / "benchmarks").rglob("*.py"):
        place = path.relative_to(ROOT)
        test = ROOT / "tests" / place.parent / f"test_{place.name}"
        measured_only = place.parts[1] == "speed" or place.name.startswith("__")
        assert measured_only or test.exists(), f"{place} has no test"


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_lists_it_has(name):
    module = importlib.import_module(name)
    for exported in getattr(module, "__all__", []):
        assert hasattr(module, exported), f"{name}.__all__ lists {exported}"


def test_no_room_without_a_name():
    rooms = {"utils", "util", "common", "helpers", "core", "base", "misc", "types", "constants"}
    assert not rooms & {path.stem for path in [*FILES, *(ROOT / "benchmarks").rglob("*.py")]}


def test_no_file_answers_two_questions():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    long = {
        str(path.relative_to(SOURCE)): n
        for path, n in lengths.items()
        if n > MAX_LINES and path.name != CLOSED_LIST
    }
    assert not long, f"{long} have more than {MAX_LINES} lines: part them by what they do"


def test_no_function_does_two_things():
    long = {
        f"{path.relative_to(SOURCE)}:{function.name}": n
        for path in FILES
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and (n := body_lines(function)) > MAX_BODY
    }
    assert not long, f"{long} have bodies of more than {MAX_BODY} lines: part them"


def body_lines(function):
    """Count the lines of a function below its signature and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0
