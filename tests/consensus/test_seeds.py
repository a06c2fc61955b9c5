import numpy as np

from consilience.consensus.seeds import draw_lots, local_generator


def test_generators_differ_in_each_coordinate():
    streams = {
        tuple(local_generator(*key).integers(2**30, size=3))
        for key in [(0, 0, 1, 0), (1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 2, 0), (0, 0, 1, 1)]
    }
    assert len(streams) == 5


def test_lots_are_the_same_bytes_everywhere():
    assert draw_lots(7, 2, 2).tolist() == [17931385354135485891, 1850640367576819524]
    np.testing.assert_array_equal(draw_lots(7, 2, 5), draw_lots(7, 2, 5))
    assert not np.array_equal(draw_lots(7, 2, 5), draw_lots(7, 3, 5))
