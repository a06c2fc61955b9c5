import sys

import numpy as np
import pytest

from consilience.exceptions import MessageError, MissingExtraError
from consilience.psi.group import multiply, points_of, quotient, random_scalar

IDS = [f"p-{k}" for k in range(8)]


def test_the_order_of_multiplications_does_not_matter_and_each_can_be_taken_back():
    a, b, points = random_scalar(), random_scalar(), points_of(IDS, bytes(16))
    both = multiply(multiply(points, a), b)
    np.testing.assert_array_equal(both, multiply(multiply(points, b), a))
    np.testing.assert_array_equal(multiply(both, quotient(b, a)), multiply(multiply(points, b), b))


def test_points_are_those_of_their_id_and_context():
    points = points_of([*IDS, "p-0"], bytes(16))
    np.testing.assert_array_equal(points[0], points[-1])
    assert len(np.unique(points, axis=0)) == len(IDS)
    assert (points_of(IDS, bytes(15) + b"x") != points[:-1]).any(axis=1).all()


@pytest.mark.parametrize(
    "bad",
    [bytes(32), b"\xff" * 32, b"\x01" + bytes(31), (2**255 - 19).to_bytes(32, "little")],
    ids=["neutral", "not canonical", "negative", "the prime itself"],
)
def test_what_is_no_point_is_refused_with_its_place(bad):
    points = points_of(IDS, bytes(16)).copy()
    points[2] = np.frombuffer(bad, dtype=np.uint8)
    with pytest.raises(MessageError, match="point 3 of 8 is no point"):
        multiply(points, random_scalar())


def test_random_bytes_are_hardly_ever_points():
    noise = np.random.default_rng(0).integers(0, 256, (64, 32), dtype=np.uint8)
    refused = 0
    for row in noise:
        try:
            multiply(row[None], random_scalar())
        except MessageError:
            refused += 1
    # One in sixteen strings of bytes is a point; all 64 would be with probability 16**-64.
    assert refused > 32


def test_without_the_extra_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rbcl", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consilience\[psi\]'"):
        random_scalar()
