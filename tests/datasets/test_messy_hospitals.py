import io

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from consilience.datasets import messy_hospitals
from consilience.datasets.messy_hospitals import CLINICAL, LABORATORY, PAIN


def pooled(table, *, choices):
    numbers = table.select_dtypes("number")
    parts = [StandardScaler().fit_transform(numbers)]
    if choices:
        parts.append(StandardScaler().fit_transform(table["pain"].map(PAIN.index).to_frame()))
    return KMeans(3, n_init=10, random_state=0).fit_predict(np.hstack(parts))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("choices", [False, True])
def test_pooled_k_means_on_standardised_columns_finds_the_truth(seed, choices):
    hospitals = messy_hospitals(random_state=seed)
    found = pooled(hospitals.table, choices=choices)
    assert adjusted_rand_score(hospitals.truth, found) > 0.98


def test_clean_files_hold_the_table():
    hospitals = messy_hospitals(120, faults=(), random_state=3)
    for role, data in hospitals.files.items():
        name, group = role.split("/")
        read = pd.read_csv(io.BytesIO(data), dtype={"id": str}).set_index("id")
        columns = CLINICAL if group == "clinical" else LABORATORY
        expected = hospitals.table.loc[hospitals.hospital == name, columns]
        pd.testing.assert_frame_equal(read.sort_index(), expected.sort_index(), check_dtype=False)


def test_faults_do_not_move_the_patients():
    one, other = (messy_hospitals(200, faults=f, random_state=1) for f in ((), ("slips", "ids")))
    pd.testing.assert_frame_equal(one.table, other.table)
    assert one.files.keys() == other.files.keys()
    assert one.files != other.files


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    paths = messy_hospitals(200, random_state=5).write(tmp_path)
    again = messy_hospitals(200, random_state=5)
    assert {role: path.read_bytes() for role, path in paths.items()} == again.files


def test_every_fault_shows():
    files = messy_hospitals(random_state=0).files
    assert files["south/clinical"].startswith("\ufeff".encode())
    assert b"\t" in files["south/clinical"]
    assert b";" in files["east/clinical"].split(b"\r\n")[0]
    assert "Müller".encode("cp1252") in files["east/clinical"]
    ids = [line.split(b";")[0] for line in files["east/laboratory"].split(b"\r\n")[1:-1]]
    assert not any(text.startswith(b"0") for text in ids)
    assert b";0\r\n" in files["east/laboratory"]
    assert b"admitted" in files["north/clinical"]


def test_an_unknown_fault_is_named():
    with pytest.raises(ValueError, match="typos"):
        messy_hospitals(faults=["typos"])


def test_too_few_patients_are_refused():
    with pytest.raises(ValueError, match="n == 10"):
        messy_hospitals(10)
