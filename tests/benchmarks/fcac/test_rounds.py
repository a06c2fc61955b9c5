import numpy as np

from benchmarks.fcac.rounds import demonstrate, draw_stream


def test_every_point_is_given_once():
    rows = [X for rows in draw_stream(1) for X in rows.values()]
    everything = np.concatenate(rows)
    assert len(everything) == 3 * 15_150
    assert len(np.unique(everything, axis=0)) == len(everything)


def test_clusters_of_the_three_clouds_differ_and_keep_their_names(tmp_path):
    table = demonstrate(tmp_path / "rounds.png")
    second, third = (row.split() for row in table["cluster at A, B, C"][1:])
    assert len(set(third)) == 3
    assert second[0] == third[0]
    assert (table["nodes sent"] < table["rows"] / 10).all()
    assert (tmp_path / "rounds.png").exists()
