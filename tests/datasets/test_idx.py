import gzip

import numpy as np
import pytest

from consilience.datasets import available, load, loaders
from consilience.datasets.idx import read_fashion_mnist, read_idx


def write(path, values):
    head = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, dtype=">u4").tobytes()
    path.write_bytes(gzip.compress(head + values.astype(np.uint8).tobytes()))


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for part, n in (("train", 6), ("t10k", 4)):
        write(tmp_path / f"{part}-images-idx3-ubyte.gz", rng.integers(256, size=(n, 28, 28)))
        write(tmp_path / f"{part}-labels-idx1-ubyte.gz", np.arange(n) % 3)
    return tmp_path


def test_images_become_rows_the_training_part_first(folder):
    X, y = read_fashion_mnist(folder)
    assert X.shape == (10, 784)
    assert y.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    last = read_idx(folder / "t10k-images-idx3-ubyte.gz")[-1]
    np.testing.assert_array_equal(X[-1], last.ravel())


def test_another_kind_of_file_is_refused(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(bytes([0, 0, 13, 1, 0, 0, 0, 0])))
    with pytest.raises(ValueError, match="must be an IDX of bytes"):
        read_idx(path)


def test_the_set_is_at_hand_where_the_package_is_installed(folder, monkeypatch):
    monkeypatch.delenv("CONSILIENCE_DATA", raising=False)
    monkeypatch.setattr(loaders, "read_fashion_mnist", lambda: read_fashion_mnist(folder))
    monkeypatch.setattr(loaders, "FASHION_MNIST", folder)
    assert "fashion-mnist" in available()
    assert load("fashion-mnist").X.shape == (10, 784)
    monkeypatch.setattr(loaders, "FASHION_MNIST", folder / "missing")
    assert "fashion-mnist" not in available()
    with pytest.raises(ValueError, match="dataset-fashion-mnist"):
        load("fashion-mnist")
