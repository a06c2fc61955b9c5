"""Scenes of a stream have the groups and the motion they say, and are told from each other."""

from itertools import islice

import numpy as np
import pytest

from benchmarks.fcac import stream


@pytest.mark.parametrize("shape", stream.SHAPES)
def test_rows_of_a_window_are_of_the_groups_that_are_said(shape):
    X, group = next(stream.windows(shape, "none", 0))
    assert len(X) == len(group) == stream.ROWS
    assert np.isfinite(X).all()
    assert len(np.unique(group)) == stream.SHAPES[shape].get("k", 2)


def test_a_drift_moves_every_window_and_a_jump_half_of_them():
    for motion, moved in (("none", 0.0), ("drift", stream.WINDOWS - 1), ("jump", 250.0)):
        means = [X.mean(axis=0) for X, _ in stream.windows("3 clouds", motion, 0)]
        assert means[-1] - means[0] == pytest.approx(moved, abs=0.5)


def test_clouds_that_stand_still_are_told_apart():
    assert min(islice(stream.measure("5 clouds", "none", 0), 3)) > stream.GOOD
