"""What tests of benchmarks share: a run into a folder, and the results that are on record."""

from pathlib import Path

import pytest
from rich.progress import Progress

ROOT = Path(__file__).parents[2]


@pytest.fixture
def on_record():
    """The folder of results, which the pages in ``docs`` were written from."""
    return ROOT / "benchmarks" / "results"


@pytest.fixture
def docs():
    return ROOT / "docs"


@pytest.fixture
def write(tmp_path):
    """Run a benchmark once, small, and return the names of what it wrote; its data lie beside."""

    def run(benchmark, trials=1, **options):
        with Progress(disable=True) as progress:
            where = {"data": tmp_path, "out": tmp_path}
            files = list(benchmark.run(trials=trials, progress=progress, **where, **options))
        assert all(path.stat().st_size for path in files)
        return {path.name for path in files}

    return run
