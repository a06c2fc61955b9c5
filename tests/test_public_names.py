"""Public names stay: what a list of them once promised is still there."""

import importlib
from pathlib import Path

import pytest

LIST = Path(__file__).parent / "data" / "public-names.txt"
MODULES = ["", ".baselines", ".datasets", ".exceptions", ".metrics", ".transports"]


def public_names():
    for end in MODULES:
        module = f"consilience{end}"
        yield from (f"{module}.{name}" for name in importlib.import_module(module).__all__)


@pytest.mark.parametrize("promised", LIST.read_text(encoding="utf-8").split())
def test_a_name_that_was_promised_is_there(promised):
    module, _, name = promised.rpartition(".")
    assert hasattr(importlib.import_module(module), name), (
        f"{promised} is gone: docs/governance.md says how a public name goes"
    )


def test_a_new_name_is_promised():
    missing = sorted(set(public_names()) - set(LIST.read_text(encoding="utf-8").split()))
    assert not missing, f"add {missing} to tests/data/public-names.txt"
