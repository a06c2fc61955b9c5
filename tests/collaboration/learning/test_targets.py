"""Classes as matrices and back."""

import numpy as np
import pytest

from consilience.collaboration.learning.targets import decode_classes, encode_classes, harden


def test_classes_come_back():
    classes = np.array(["a", "b", "c"])
    y = np.array(["c", "a", "a", "b"])
    Y = encode_classes(y, classes)
    assert Y.shape == (4, 3)
    assert (decode_classes(Y, classes) == y).all()


def test_the_width_shows_the_study_and_not_the_party():
    assert encode_classes(np.array([1, 1]), np.array([0, 1, 2])).shape == (2, 3)


@pytest.mark.parametrize("y", [[0, 3], [-1, 0], [0, 1.5]])
def test_an_unknown_class_is_refused_without_naming_it(y):
    with pytest.raises(ValueError, match="1 rows have a class that is not among the 3 classes"):
        encode_classes(np.array(y), np.array([0, 1, 2]))


def test_hardening_hides_scores():
    assert harden(np.array([[0.1, 0.3, 0.2], [5.0, -1.0, 0.0]])).tolist() == [[0, 1, 0], [1, 0, 0]]
