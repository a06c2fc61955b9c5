import numpy as np
import pytest

from consilience.continual.nodes.edges import deletion_threshold


def test_threshold_by_hand():
    # median 3; below {1, 2}, above {5, 8}: quartiles 1.5 and 6.5
    ages = np.array([8, 1, 3, 2, 5])
    assert deletion_threshold(ages, 0.0, 0, 0.1) == pytest.approx(6.5 + 0.1 * 5.0)
    assert deletion_threshold(ages, 4.0, 15, 0.1) == pytest.approx(4.0 * 0.75 + 7.0 * 0.25)


@pytest.mark.parametrize("ages", [[], [4], [2, 2, 2], [1, 1, 1, 9]])
def test_nothing_is_deleted_when_a_side_of_the_median_is_empty(ages):
    assert deletion_threshold(np.array(ages, dtype=np.int64), 1.0, 3, 0.1) == np.inf
