import numpy as np

from consilience.engines.pages import let_go


def test_what_was_let_go_is_read_again(tmp_path):
    np.arange(5.0).tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", mode="r", dtype=np.float64)
    part = np.asarray(mapped)[1:3]
    let_go(part, None, np.zeros(2))
    assert part.tolist() == [1, 2]


def test_pages_count_no_longer(tmp_path):
    np.zeros(2**21).tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", mode="r", dtype=np.float64)
    mapped.sum()
    before = shared_pages()
    let_go(mapped)
    assert before - shared_pages() >= 2**21 * 8 / 4096 * 0.9


def shared_pages():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[2])
