import tempfile

import numpy as np
import pytest

from consilience.mapped import _map_of, in_blocks, let_go, map_file


@pytest.fixture
def mapped():
    """Six pages of numbers in a file without a name."""
    with tempfile.TemporaryFile() as file:
        file.write(np.arange(3072.0).tobytes())
        return np.frombuffer(map_file(file)).reshape(-1, 3)


@pytest.mark.parametrize("n_rows", [None, 1, 7, 5000])
def test_blocks_are_the_array(mapped, n_rows):
    for array in (mapped, np.array(mapped)):
        np.testing.assert_array_equal(np.concatenate(list(in_blocks(array, n_rows))), array)


def test_blocks_have_a_few_megabytes():
    sizes = {block.nbytes for block in in_blocks(np.zeros((3, 2**20)))}
    assert sizes == {2**23}
    assert list(in_blocks(np.zeros((0, 4)))) == []


def test_what_was_let_go_reads_the_same_again(mapped):
    part = mapped[100:900]
    let_go(part)
    np.testing.assert_array_equal(part.ravel(), np.arange(300.0, 2700.0))


def test_what_is_written_to_a_file_stays_when_it_is_let_go(tmp_path):
    written = np.memmap(tmp_path / "labels", np.int8, "w+", shape=(100_000,))
    for part in in_blocks(written, 30_000):
        part[:] = 7
    assert _map_of(written[5:]) is not None
    assert (written == 7).all()
    assert _map_of(np.memmap(tmp_path / "labels", np.int8, "c")) is None


def test_only_what_lies_in_a_file_is_let_go(mapped):
    assert _map_of(mapped[5:9]) is not None
    assert _map_of(mapped[:, :1]) is None
    own = np.arange(4.0)
    assert _map_of(own) is None
    let_go(own)
    assert own.tolist() == [0, 1, 2, 3]
