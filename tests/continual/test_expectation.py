import csv
import io
import os
from pathlib import Path

import numpy as np
import pytest

from consilience.continual.expectation import expect, measurements

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "benchmarks" / "results" / "fcac-privacy.csv"
COPY = ROOT / "src" / "consilience" / "continual" / "measured.csv"
COLUMNS = ("data", "epsilon per record", "noise / range", "ARI")


def test_what_is_shown_is_what_the_benchmark_measured():
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    with SOURCE.open(encoding="utf-8") as file:
        writer.writerows([row[name] for name in COLUMNS] for row in csv.DictReader(file))
    if os.environ.get("UPDATE_DOCS"):
        COPY.write_text(stream.getvalue(), encoding="utf-8")
    assert COPY.read_text(encoding="utf-8") == stream.getvalue()


def test_noise_follows_from_features_and_epsilon():
    for m in measurements():
        assert m.noise == pytest.approx(m.n_features / m.epsilon, abs=1e-6)


def test_measured_epsilon_is_shown_itself():
    (m,) = [m for m in expect(100.0, 16) if m.data == "pendigits"]
    assert m.epsilon == 100.0
    assert m.lost == pytest.approx(m.ari_without - m.ari)


@pytest.mark.parametrize(("epsilon", "nearest"), [(0.1, 10.0), (1e9, 5000.0)])
def test_beyond_what_was_measured_only_the_nearest_is_shown(epsilon, nearest):
    found = expect(epsilon, 16)
    assert [m.epsilon for m in found] == [nearest] * 2
    assert np.isfinite([m.lost for m in found]).all()
