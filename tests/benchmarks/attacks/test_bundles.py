from pathlib import Path

import pytest

from benchmarks.attacks.bundles import ByFiles, read


@pytest.fixture(scope="module")
def table():
    return read("patients", Path())[0][:450]


def decoded(table, folder, rounded):
    study = ByFiles(table, 3, folder, rounded)
    study.contribute()
    return study


def test_rows_are_decoded_from_a_file_in_double_precision(table, tmp_path):
    study = decoded(table, tmp_path, rounded=False)
    assert study.decode() > 0.95


def test_a_drafted_study_lets_no_rows_out_that_are_decoded(table, tmp_path):
    study = decoded(table, tmp_path, rounded=True)
    assert study.decode() <= 0.01
    assert study.label().shape == study.pooled(3).shape == (450,)
    assert study.bytes_a_row < 170
