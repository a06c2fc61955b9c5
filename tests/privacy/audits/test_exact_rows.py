import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from consilience.datasets.patients import patients
from consilience.privacy.audits.decoding import decode
from consilience.privacy.audits.exact_rows import decode_with_anchor, decode_with_known_rows
from consilience.privacy.audits.forward_map import learn_forward_map
from consilience.privacy.audits.possible_rows import PossibleRows


class Scene:
    """Half of a table is the victim's; the anchor lies anywhere within the bounds."""

    def __init__(self, X, n_kept, groups=()):
        rng = np.random.default_rng(0)
        X = X[rng.permutation(len(X))]
        self.bounds, self.groups = (X.min(axis=0), X.max(axis=0)), groups
        self.rows, self.like = X[: len(X) // 2], X[len(X) // 2 :]
        width = np.ptp(X, axis=0)
        axes = np.linalg.svd((self.rows - self.rows.mean(axis=0)) / width)[2][:n_kept].T
        axes = axes @ np.linalg.qr(rng.normal(size=(n_kept, n_kept)))[0]
        self.F, self.mean = axes / width[:, None], self.rows.mean(axis=0)
        self.anchor, self.wrong = rng.uniform(*self.bounds, size=(2, 400, X.shape[1]))

    def send(self, rows):
        return (rows - self.mean) @ self.F

    def by_anchor(self, anchor=None, like=None):
        anchor = self.anchor if anchor is None else anchor
        sent = self.send(self.anchor), self.send(self.rows)
        return decode_with_anchor(anchor, *sent, self.bounds, like, self.groups)

    def by_known(self, n_known, paired=None):
        sent = self.send(self.rows)
        known = sent[:n_known] if paired is None else sent[paired]
        return decode_with_known_rows(
            self.rows[:n_known], known, sent[n_known:], self.bounds, self.groups
        )


def exact(found, rows):
    return np.isclose(found.rows, rows, atol=1e-6).all(axis=1).mean()


def one_hot(codes):
    return (codes[:, None] == np.unique(codes)).astype(float)


@pytest.fixture(scope="module")
def wards():
    """Ages, and a ward of which there are four, one of them small."""
    rng = np.random.default_rng(0)
    ward = np.where(rng.random(600) < 0.03, 3, rng.integers(3, size=600))
    numbers = rng.integers(100, size=(600, 4)).astype(float)
    return Scene(np.hstack([numbers, one_hot(ward)]), 3, groups=[(4, 5, 6, 7)])


@pytest.mark.parametrize(
    ("X", "n_kept", "least"),
    [
        (load_wine().data, 7, 0.97),
        (load_diabetes(scaled=False).data, 3, 0.98),
        (patients(800, random_state=0).to_numpy(), 2, 1.0),
    ],
)
def test_real_tables_are_decoded_by_the_anchor(X, n_kept, least):
    scene = Scene(X, n_kept)
    found = scene.by_anchor(like=scene.like)
    assert exact(found, scene.rows) >= least
    assert found.known.mean() >= least


def test_steps_are_guessed_from_the_bounds_if_nobody_holds_rows_alike():
    scene = Scene(patients(800, random_state=0).to_numpy().round(1), 4)
    # Weights to the tenth within bounds that are whole numbers.
    scene.bounds = np.floor(scene.bounds[0]), np.ceil(scene.bounds[1])
    found = scene.by_anchor()
    assert exact(found, scene.rows) >= 0.99


def test_the_anchor_of_another_study_decodes_nothing():
    scene = Scene(patients(400, random_state=0).to_numpy(), 4)
    found = scene.by_anchor(anchor=scene.wrong, like=scene.like)
    assert not found.known.any()
    assert exact(found, scene.rows) == 0


@pytest.mark.parametrize(
    ("X", "n_kept", "least"),
    [
        (load_wine().data, 7, 0.95),
        (load_diabetes(scaled=False).data, 3, 0.98),
        (patients(800, random_state=0).to_numpy(), 3, 0.9),
    ],
)
def test_one_known_row_more_than_columns_gives_the_rest(X, n_kept, least):
    scene = Scene(X, n_kept)
    n_known = X.shape[1] + 1
    found = scene.by_known(n_known)
    assert exact(found, scene.rows[n_known:]) >= least


def test_rows_known_under_the_wrong_name_give_nothing():
    scene = Scene(load_diabetes(scaled=False).data, 4)
    found = scene.by_known(22, paired=np.arange(22)[::-1])
    assert not found.known.any()
    assert exact(found, scene.rows[22:]) == 0


def test_categories_are_decoded_with_the_numbers(wards):
    found = wards.by_anchor(like=wards.like)
    assert exact(found, wards.rows) == 1
    assert (found.rows[:, 4:].sum(axis=1) == 1).all()


def test_a_category_no_known_row_has_is_not_claimed(wards):
    small = wards.rows[:, 7] == 1
    wards.rows = np.vstack([wards.rows[~small], wards.rows[small]])
    found, rest = wards.by_known(9), wards.rows[9:]
    assert not found.known[rest[:, 7] == 1].any()
    assert found.known[rest[:, 7] == 0].all()
    np.testing.assert_array_equal(found.rows[found.known], rest[found.known])


def test_rows_that_are_found_teach_what_finds_others():
    scene = Scene(patients(800, random_state=0).to_numpy(), 8)
    sent = scene.send(scene.rows)
    step = 2.0**-10 * sent.std(axis=0)
    sent, n_known = np.rint(sent / step) * step, 30
    parts = scene.rows[:n_known], sent[:n_known], sent[n_known:]
    f = learn_forward_map(*parts[:2], step / np.sqrt(12))
    possible = PossibleRows.seen_in(parts[0], *scene.bounds)
    once = decode(parts[2], f, possible, *possible.moments)
    taught = decode_with_known_rows(*parts, scene.bounds, rounded_to=step)
    assert exact(taught, scene.rows[n_known:]) > exact(once, scene.rows[n_known:]) + 0.05


def test_categories_that_only_others_have_do_not_hide_the_rest():
    rng = np.random.default_rng(0)
    codes = rng.integers(4, size=(300, 9))
    X = np.hstack([rng.integers(10**6, size=(300, 2)), *[one_hot(c) for c in codes.T]])
    groups = [tuple(range(j, j + 4)) for j in range(2, 38, 4)]
    scene = Scene(X, 10, groups)
    scene.rows = scene.rows[(scene.rows[:, 5] == 0) & (scene.rows[:, 9] == 0)]
    # Nothing is sent of a column in which the victim's rows do not differ.
    scene.F[[5, 9]] = 0.0
    found = scene.by_anchor(like=scene.like)
    assert exact(found, scene.rows) == 1


def test_rows_of_numbers_in_four_bytes_are_decoded_from_half_of_their_dimensions():
    rng = np.random.default_rng(0)
    X = rng.normal(100.0, 15.0, size=(400, 6)).astype(np.float32).astype(np.float64)
    A, F = rng.uniform(0, 200, size=(60, 6)), rng.normal(size=(6, 4))
    bounds = np.zeros(6), np.full(6, 200.0)
    found = decode_with_anchor(A, A @ F, X[:40] @ F, bounds, X[40:])
    assert np.array_equal(found.rows, X[:40])


def test_a_coordinate_that_is_always_0_is_looked_past():
    rng = np.random.default_rng(0)
    X, A = rng.integers(9, size=(30, 4)).astype(float), rng.normal(size=(9, 4))
    F = np.hstack([rng.normal(size=(4, 2)), np.zeros((4, 1))])
    found = decode_with_anchor(A, A @ F, X @ F, (np.zeros(4), np.full(4, 8.0)), X)
    assert np.array_equal(found.rows, X)
