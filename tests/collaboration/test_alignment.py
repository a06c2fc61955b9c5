import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from consilience.collaboration import alignment
from consilience.collaboration.alignment import align, common_target, directions_beyond


def invertible(rng, m):
    """A well-conditioned random map: orthogonal times a mild scaling."""
    Q, _ = np.linalg.qr(rng.normal(size=(m, m)))
    return Q * rng.uniform(0.5, 2.0, size=m)


def textbook(anchors, affine, target):
    """Equations 15 to 19 word for word: tall SVD, Moore-Penrose inverse."""
    blocks = [np.hstack([a, np.ones((len(a), int(affine)))]) for a in anchors]
    U, S, _ = np.linalg.svd(np.hstack(blocks), full_matrices=False)
    k = max(b.shape[1] for b in blocks)
    T = U[:, :k] if target == "orthonormal" else U[:, :k] * S[:k] / np.sqrt(len(blocks))
    return [np.linalg.pinv(b) @ T for b in blocks]


def test_worked_case_two_parties_one_column():
    # Party 1 sees the anchor 1, 2 as it is, party 2 doubled. [1 2; 2 4] has one singular value, 5,
    # with left vector (1, 2) / sqrt(5): the scaled target is (1, 2) * 5 / sqrt(5) / sqrt(2).
    first, second = align([np.array([[1.0], [2.0]]), np.array([[2.0], [4.0]])], affine=False)
    assert first.linear.item() == pytest.approx(np.sqrt(2.5))
    assert second.linear.item() == pytest.approx(np.sqrt(2.5) / 2)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("target", ["scaled", "orthonormal"])
@pytest.mark.parametrize("n_anchor", [12, 60])
def test_gram_form_equals_the_textbook_form(affine, target, n_anchor):
    rng = np.random.default_rng(0)
    anchors = [rng.normal(size=(n_anchor, 4)) @ invertible(rng, 4) for _ in range(5)]
    X = rng.normal(size=(7, 4))
    for ours, G in zip(
        align(anchors, target=target, affine=affine), textbook(anchors, affine, target), strict=True
    ):
        expected = np.hstack([X, np.ones((7, int(affine)))]) @ G
        found = ours.apply(X)
        # Singular vectors have free signs.
        signs = np.sign((found * expected).sum(axis=0))
        np.testing.assert_allclose(found, expected * signs, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 6), c=st.integers(1, 5))
def test_invertible_reductions_give_the_pooled_data_up_to_one_affine_map(seed, m, c):
    rng = np.random.default_rng(seed)
    A, X = rng.normal(size=(30, m)), rng.normal(size=(8 * c, m)) * rng.uniform(0.1, 10)
    maps = [(invertible(rng, m), rng.normal(size=m) * 5) for _ in range(c)]
    found = align([(A - mu) @ F for F, mu in maps])
    parts = np.array_split(np.arange(len(X)), c)
    Z = np.vstack(
        [g.apply((X[rows] - mu) @ F) for g, rows, (F, mu) in zip(found, parts, maps, strict=True)]
    )
    pooled = np.hstack([X, np.ones((len(X), 1))])
    fitted = pooled @ np.linalg.lstsq(pooled, Z, rcond=None)[0]
    np.testing.assert_allclose(Z, fitted, atol=1e-6 * np.abs(Z).max())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 6), c=st.integers(1, 5))
def test_orthogonal_reductions_keep_every_distance_of_the_pooled_data(seed, m, c):
    rng = np.random.default_rng(seed)
    A, X = rng.normal(size=(40, m)), rng.normal(size=(10, m))
    maps = [(np.linalg.qr(rng.normal(size=(m, m)))[0], rng.normal(size=m)) for _ in range(c)]
    found = align([(A - mu) @ F for F, mu in maps], target="scaled")
    for g, (F, mu) in zip(found, maps, strict=True):
        np.testing.assert_allclose(pdist(g.apply((X - mu) @ F)), pdist(X), rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_order_of_parties_changes_nothing_but_order(seed, data):
    rng = np.random.default_rng(seed)
    c = data.draw(st.integers(2, 5))
    order = data.draw(st.permutations(range(c)))
    A, X = rng.normal(size=(30, 4)), rng.normal(size=(6, 4))
    maps = [np.linalg.qr(rng.normal(size=(4, 4)))[0][:, :3] for _ in range(c)]
    straight = align([A @ F for F in maps])
    permuted = align([A @ maps[i] for i in order])
    for place, i in enumerate(order):
        np.testing.assert_allclose(
            permuted[place].apply(X @ maps[i]), straight[i].apply(X @ maps[i]), atol=1e-7
        )


def test_rank_deficient_anchor_is_aligned_in_the_directions_it_has():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 4))
    X = rng.normal(size=(5, 2)) @ rng.normal(size=(2, 4))
    F, H = np.eye(4), invertible(rng, 4)
    f, h = align([A @ F, A @ H])
    assert f.linear.shape[1] == 3  # two directions and the constant
    rows = A[:5]
    np.testing.assert_allclose(f.apply(rows @ F), h.apply(rows @ H), atol=1e-8)
    assert np.isfinite(f.apply(X @ F)).all()


def test_columns_of_very_different_units_are_aligned():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(60, 3)) * [1e-4, 1.0, 1e4]
    F, H = np.linalg.qr(rng.normal(size=(3, 3)))[0], np.diag([1.0, -1.0, 1.0])
    f, h = align([A @ F, A @ H])
    X = rng.normal(size=(4, 3)) * [1e-4, 1.0, 1e4]
    # To nine digits of the largest column: what a Gram matrix in double precision can hold.
    np.testing.assert_allclose(f.apply(X @ F), h.apply(X @ H), atol=1e-9 * 1e5)


def test_too_few_anchor_rows_are_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"n_anchor == 3, must be >= 4.*Raise n_anchor"):
        align([np.ones((3, 3))])


def test_anchors_of_different_length_are_refused():
    with pytest.raises(ValueError, match=r"\[5, 6\] anchor rows"):
        align([np.ones((5, 2)), np.ones((6, 2))])


def test_anchor_of_zeros_is_refused():
    with pytest.raises(ValueError, match="nothing to align by"):
        align([np.zeros((5, 2))], affine=False)


def test_unknown_target_is_refused():
    with pytest.raises(ValueError, match="target == 'white'"):
        align([np.eye(3)], target="white", affine=False)


def test_the_shared_space_has_the_singular_values_that_are_large_enough():
    A = np.diag([5.0, 3.0, 1.0]).repeat(2, axis=0) / np.sqrt(2)  # singular values 5, 3, 1
    widths = [
        align([A], affine=False, min_singular_value=bound)[0].linear.shape[1]
        for bound in (0.5, 2.0, 4.0)
    ]
    assert widths == [3, 2, 1]


def test_two_institutions_that_keep_other_directions_may_span_more_than_either():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(50, 4))
    anchors = [A[:, :2], A[:, 2:]]
    assert align(anchors)[0].linear.shape[1] == 3
    assert align(anchors, min_singular_value=1e-2)[0].linear.shape[1] == 5


def test_a_bound_above_all_singular_values_is_refused():
    with pytest.raises(ValueError, match=r"min_singular_value == 9, must be <= 1.*Lower it"):
        align([np.eye(3)], affine=False, min_singular_value=9.0)


def test_coarse_steps_of_one_column_leave_what_finer_columns_say():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(400, 3)) * [300.0, 1.0, 0.5]
    noise = np.array([4.0, 0.02, 0.02]) / np.sqrt(12)
    sent = [A + noise * rng.normal(size=A.shape) for _ in range(5)]
    target = common_target(np.hstack(sent), 3, np.tile(noise, 5))
    # All three directions are found, each as far as its own noise allows.
    rest = A - target @ np.linalg.lstsq(target, A, rcond=None)[0]
    assert target.shape == (400, 3)
    assert (rest.std(axis=0) < noise).all()
    assert directions_beyond(np.hstack(sent), np.tile(noise, 5)) == 3


@pytest.mark.parametrize("target", ["scaled", "orthonormal"])
@pytest.mark.parametrize("step", [None, 2.0**-6, 0.5])
def test_wide_tables_get_the_same_maps_without_a_decomposition(monkeypatch, target, step):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(90, 30))
    anchors = [A @ np.linalg.qr(rng.normal(size=(30, 29)))[0] for _ in range(3)]
    anchors[1] *= np.geomspace(1e-3, 1e3, 29)
    noise = None
    if step is not None:
        steps = [step * a.std(axis=0) for a in anchors]
        anchors = [np.rint(a / s) * s for a, s in zip(anchors, steps, strict=True)]
        noise = [s / np.sqrt(12) for s in steps]
    usual = align(anchors, target=target, noise=noise)
    monkeypatch.setattr(alignment, "WIDE", 1)
    for f, g in zip(usual, align(anchors, target=target, noise=noise), strict=True):
        scale = np.abs(f.linear).max()
        np.testing.assert_allclose(g.linear, f.linear, atol=1e-8 * scale)
        np.testing.assert_allclose(g.offset, f.offset, atol=1e-8 * scale)


def test_what_drowns_in_rounding_is_still_left_out_of_wide_tables(monkeypatch):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(90, 6)) * [1, 1, 1, 1, 1, 1e-3]
    anchors, noise = [np.rint(A / 0.1) * 0.1] * 2, [np.full(6, 0.1 / np.sqrt(12))] * 2
    usual = align(anchors, noise=noise)
    monkeypatch.setattr(alignment, "WIDE", 1)
    found = align(anchors, noise=noise)
    np.testing.assert_array_equal(found[0].linear, usual[0].linear)


def test_the_largest_directions_are_the_same_however_many_are_asked_for():
    S = np.random.default_rng(0).normal(size=(40, 12))
    few, many = common_target(S, 4), common_target(S, 11)
    np.testing.assert_allclose(few, many[:, :4], atol=1e-12)


@pytest.mark.parametrize(("step", "n_directions"), [(1e-3, 1), (10.0, 0)])
def test_a_single_column_stands_out_of_rounding_or_drowns(step, n_directions):
    assert directions_beyond(np.arange(50.0)[:, None] / 50, np.array([step])) == n_directions
