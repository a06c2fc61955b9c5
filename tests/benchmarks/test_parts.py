from benchmarks.parts import measure_part, read_parts

CELL = ("Table 1", "iris", "3 peers", "k-means alone", "ARI")


def test_a_part_is_measured_once(tmp_path):
    path, calls = tmp_path / "parts" / "iris-0.csv", []

    def measure():
        calls.append(1)
        return [(CELL, 0.5)]

    assert read_parts([path]) is None
    for _ in range(2):
        measure_part(path, measure)
    assert len(calls) == 1
    assert read_parts([path]).value.tolist() == [0.5]
    assert list(path.parent.iterdir()) == [path]


def test_a_part_another_process_is_at_is_left_to_it(tmp_path):
    path = tmp_path / "iris-0.csv"
    path.with_suffix(".part").touch()
    measure_part(path, lambda: 1 / 0)
    assert read_parts([path]) is None
