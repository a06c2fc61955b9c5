from benchmarks.dc_clustering.figure import draw_synthetic


def test_the_synthetic_sets_are_drawn(tmp_path):
    assert draw_synthetic(tmp_path).read_bytes().startswith(b"\x89PNG")
