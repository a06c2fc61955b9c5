import numpy as np
import pytest

from consilience.datasets.patients import patients
from consilience.privacy.audits.decoding import CERTAIN, decode, spare_bits
from consilience.privacy.audits.exact_rows import expected_rows
from consilience.privacy.audits.forward_map import ForwardMap
from consilience.privacy.audits.possible_rows import PossibleRows


class Scene:
    """A clinic's contribution, the map behind it, and rows of another clinic."""

    def __init__(self, n_kept, disturbed_by=0.0, seed=0):
        table = patients(800, random_state=seed).sort_values("hiv", kind="stable").to_numpy()
        table = np.vstack([table[::2], table[1::2]])
        rng = np.random.default_rng(seed)
        self.lower, self.upper = table.min(axis=0), table.max(axis=0)
        self.rows, self.like = table[:400], table[400:]
        width = self.upper - self.lower
        axes = np.linalg.svd((self.rows - self.rows.mean(axis=0)) / width)[2][:n_kept].T
        F = axes / width[:, None]
        noise = np.maximum(disturbed_by, 1e-15)
        self.f = ForwardMap(F, -self.rows.mean(axis=0) @ F, np.full(n_kept, noise))
        self.sent = self.f.apply(self.rows) + rng.normal(size=(400, n_kept)) * disturbed_by

    @property
    def possible(self):
        return PossibleRows.seen_in(self.like, self.lower, self.upper)

    def decode(self, **changed):
        parts = {"representation": self.sent, "f": self.f, "possible": self.possible} | changed
        mean, covariance = expected_rows(self.like)
        return decode(**parts, mean=mean, covariance=covariance)


def exact(found, rows):
    return np.isclose(found.rows, rows, atol=1e-6).all(axis=1)


def test_two_dimensions_of_fifteen_columns_give_all_400_patients_away():
    scene = Scene(2)
    found = scene.decode()
    assert exact(found, scene.rows).all()
    assert found.known.all()
    assert scene.rows[:, -1].sum() == 12


def test_nothing_but_the_bounds_need_be_known_of_the_rows():
    scene = Scene(3)
    moments = scene.possible.moments
    found = decode(scene.sent, scene.f, scene.possible, *moments)
    assert exact(found, scene.rows).all()
    assert found.known.all()


def test_columns_that_are_not_rounded_are_not_decoded():
    scene = Scene(2)
    rng = np.random.default_rng(1)
    off = scene.rows + rng.uniform(-0.5, 0.5, size=scene.rows.shape) * scene.possible.step
    assert scene.decode(representation=scene.f.apply(off)).known.mean() <= 0.01


def test_another_map_decodes_nothing():
    scene, other = Scene(2), Scene(2)
    rng = np.random.default_rng(1)
    other.f.linear = other.f.linear[rng.permutation(15)]
    found = scene.decode(f=other.f)
    assert found.known.mean() <= 0.01
    assert not exact(found, scene.rows).any()


def test_noise_well_above_the_step_hides_rows():
    scene = Scene(7, disturbed_by=0.1)
    found = scene.decode()
    assert not found.known.any()
    assert exact(found, scene.rows).mean() <= 0.01


@pytest.mark.parametrize("bits", [24, 17, 14, 11])
def test_what_is_called_known_is_right(bits):
    # By chance one cell in a hundred may be wrong; three standard deviations more are allowed.
    scene = Scene(7, disturbed_by=2.0**-bits)
    found = scene.decode()
    known = found.certainty >= CERTAIN
    wrong = known & ~np.isclose(found.rows, scene.rows, atol=1e-6)
    assert wrong.sum() <= 0.01 * known.sum() + 3 * np.sqrt(0.01 * known.sum())


def test_less_noise_never_hides_what_more_noise_shows():
    shares = [Scene(7, disturbed_by=2.0**-bits).decode().known.mean() for bits in (8, 12, 16, 24)]
    assert shares == sorted(shares)
    assert shares[0] < 0.2 < 0.99 < shares[-1]


def test_spare_bits_tell_beforehand_what_can_be_decoded():
    scenes = [Scene(2), Scene(7), Scene(7, disturbed_by=2.0**-8), Scene(2, disturbed_by=2.0**-8)]
    bits = [spare_bits(s.f, s.possible, *expected_rows(s.like)) for s in scenes]
    decoded = [exact(s.decode(), s.rows).mean() for s in scenes]
    assert bits[1] > bits[0] > 0 > bits[2] > bits[3]
    assert decoded[:2] == [1.0, 1.0]
    assert max(decoded[2:]) < 0.1


def test_a_column_that_is_not_sent_does_not_hide_the_others():
    scene = Scene(7)
    scene.f.linear[0] = 0.0
    sent = scene.f.apply(scene.rows)
    found = scene.decode(representation=sent)
    assert not found.known.any()
    assert (found.certainty[:, 1:] >= CERTAIN).all()
    np.testing.assert_allclose(found.rows[:, 1:], scene.rows[:, 1:], atol=1e-6)


def test_a_row_far_from_all_others_is_found_further_out():
    scene = Scene(3)
    scene.rows[0] = scene.upper
    scene.sent[0] = scene.f.apply(scene.upper[None])
    found = scene.decode()
    assert found.known[0]
    assert exact(found, scene.rows)[0]


def test_columns_that_hold_any_number_are_looked_past_and_follow():
    scene = Scene(4)
    rng = np.random.default_rng(1)
    for table in (scene.rows, scene.like):
        table[:, [0, 5]] = rng.uniform(scene.lower[[0, 5]], scene.upper[[0, 5]], (400, 2))
    found = scene.decode(representation=scene.f.apply(scene.rows))
    assert scene.possible.loose.tolist() == [0, 5]
    assert found.known.all()
    np.testing.assert_allclose(found.rows, scene.rows, atol=1e-5)


def test_as_many_columns_of_any_number_as_dimensions_hide_the_rest():
    scene = Scene(2)
    rng = np.random.default_rng(1)
    for table in (scene.rows, scene.like):
        table[:, [0, 5]] = rng.uniform(scene.lower[[0, 5]], scene.upper[[0, 5]], (400, 2))
    assert scene.decode(representation=scene.f.apply(scene.rows)).known.mean() <= 0.01


def test_a_table_that_cannot_vary_is_known():
    lower = np.array([1.0, 2.0])
    possible = PossibleRows.between(lower, lower)
    f = ForwardMap(np.ones((2, 1)), np.zeros(1), np.ones(1))
    found = decode(np.full((3, 1), 3.0), f, possible, *possible.moments)
    assert found.known.all()
    assert (found.rows == lower).all()
