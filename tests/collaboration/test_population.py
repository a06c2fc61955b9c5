import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from consilience import CollaborationClustering
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.party import Party
from consilience.collaboration.population import RIDGE, _gain, estimate_population
from consilience.collaboration.sights import look


def half_views(rng, n_views, m):
    """Orthonormal maps that keep half of the directions each."""
    return [np.linalg.qr(rng.normal(size=(m, m)))[0][:, : m // 2] for _ in range(n_views)]


def estimate(A, X, maps, rows):
    sights = [
        s for i, (F, r) in enumerate(zip(maps, rows, strict=True)) for s in look(i, [X[r] @ F])
    ]
    return estimate_population([A @ F for F in maps], sights)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 5), c=st.integers(1, 4))
def test_institutions_that_keep_all_directions_keep_every_distance(seed, m, c):
    rng = np.random.default_rng(seed)
    A, X = rng.normal(size=(30, m)), rng.normal(size=(6 * c, m)) * 3 + 5
    maps = [np.linalg.qr(rng.normal(size=(m, m)))[0] for _ in range(c)]
    rows = np.array_split(np.arange(len(X)), c)
    population = estimate(A, X, maps, rows)
    Z = np.vstack([population.place(i, X[r] @ maps[i]) for i, r in enumerate(rows)])
    np.testing.assert_allclose(pdist(Z), pdist(X), rtol=1e-4, atol=1e-5)


def test_what_was_seen_stays_as_it_is():
    rng = np.random.default_rng(0)
    A, X = rng.normal(size=(60, 6)), rng.normal(size=(90, 6)) + 4
    maps, rows = half_views(rng, 3, 6), np.array_split(np.arange(90), 3)
    population = estimate(A, X, maps, rows)
    for i, (F, r) in enumerate(zip(maps, rows, strict=True)):
        H, middle = population.views[i], population.middles[i]
        expected = population.place(i, X[r] @ F) / population.units
        np.testing.assert_allclose(expected @ H + middle, X[r] @ F, atol=1e-5)


def test_mean_and_covariance_nobody_saw_whole_are_found():
    rng = np.random.default_rng(0)
    A, m = rng.normal(size=(400, 6)), 6
    L = rng.normal(size=(m, m))
    X = rng.normal(size=(40_000, m)) @ L.T + 8
    maps, rows = half_views(rng, 8, m), np.array_split(np.arange(len(X)), 8)
    population = estimate(A, X, maps, rows)
    # Coordinates of the common space are some linear map of the columns: find it by the anchor.
    stacked = np.hstack(population.views)
    M = np.linalg.lstsq(np.hstack(maps).T, stacked.T, rcond=None)[0]  # x = z M', M: m by q
    middle = A.mean(axis=0)
    np.testing.assert_allclose(population.mean @ M.T + middle, X.mean(axis=0), atol=0.2)
    found = M @ population.covariance @ M.T
    assert np.linalg.norm(found - L @ L.T) < 0.1 * np.linalg.norm(L @ L.T)


def clusters_of(X, target, **parameters):
    parties = np.arange(len(X)) % 5
    model = CollaborationClustering(
        2, columns=[range(5), range(5, 10)], n_components=3, scaling="bounds", rotate=True,
        target=target, random_state=0, **parameters,
    )  # fmt: skip
    return model.fit_predict(X, parties=parties), parties


def two_groups(rng, n=400):
    X = rng.normal(size=(n, 10)) * np.linspace(1, 0.3, 10)
    X[: n // 2, :3] += 3
    return rng.permutation(X)


def test_institutions_are_not_taken_for_clusters_where_bounds_are_loose():
    X = two_groups(np.random.default_rng(0))
    bounds = X.min(axis=0), X.min(axis=0) + 100 * np.ptp(X, axis=0)
    groups = X[:, :3].sum(axis=1) > 4.5
    of_paper, parties = clusters_of(X, "scaled", bounds=bounds)
    ours, _ = clusters_of(X, "population", bounds=bounds)
    assert normalized_mutual_info_score(of_paper, parties) > 0.5
    assert adjusted_rand_score(ours, groups) > 0.9
    np.testing.assert_array_equal(ours, clusters_of(X, "population")[0])


def contributions(X, rng, absent=(), dropped=0):
    """Two institutions of two column groups; one party leaves some of its rows out."""
    A = rng.normal(size=(80, X.shape[1]))
    ids = np.arange(len(X), dtype=">u8").view(np.uint8).reshape(-1, 8).repeat(2, axis=1)
    half = X.shape[1] // 2
    for i, row in enumerate("ab"):
        for column, columns in (("x", slice(half)), ("y", slice(half, None))):
            rows = np.arange(i, len(X), 2)
            rows = rows[dropped:] if f"{row}/{column}" == "a/y" else rows
            party = Party(f"{row}/{column}", A[:, columns], n_components=half, rng=rng)
            if party.name not in absent:
                yield from party.begin(X[rows, columns], ids[rows])


@pytest.mark.parametrize("case", ["absent party", "rows unmatched", "one row matched"])
def test_what_no_party_sent_is_expected_from_the_other_institution(case):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(300, 1)), 4, axis=1) * [1, -2, 3, 4] + 10
    X += 0.01 * rng.normal(size=X.shape)
    absent = ["a/y"] if case == "absent party" else []
    dropped = {"absent party": 0, "rows unmatched": 100, "one row matched": 149}[case]
    role = Analyst(
        ["a", "b"], ["x", "y"], absent=absent, target="population", unmatched="keep", n_clusters=2
    )
    for message in contributions(X, rng, absent, dropped):
        role.receive(message)
    # All columns follow one number, so the rows lie on a line, whoever sent what.
    order = np.concatenate([np.arange(0, 300, 2), np.arange(1, 300, 2)])
    along = role.representation - role.representation.mean(axis=0)
    _, size, axes = np.linalg.svd(along, full_matrices=False)
    assert size[1] < 0.15 * size[0]
    assert abs(np.corrcoef(along @ axes[0], X[order, 0])[0, 1]) > 0.98


def test_columns_count_alike_though_one_institution_has_no_party_for_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    role = Analyst(["a", "b"], ["x", "y"], absent=["a/y"], target="population", n_clusters=2)
    for message in contributions(X, rng, ["a/y"]):
        role.receive(message)
    # The second institution sent both column groups whole: distances are those of its rows.
    found = pdist(role.representation[200:])
    np.testing.assert_allclose(found, pdist(X[1::2]), rtol=0.02)


def test_rows_seen_in_part_do_not_shape_the_clusters_but_get_a_label():
    rng = np.random.default_rng(0)
    groups = rng.integers(2, size=600)
    X = 0.3 * rng.normal(size=(600, 4))
    X[:, 0] += 5.5 * (rng.random(600) - 0.5)  # a continuum that the first group of columns shows
    X[:, 2:] += 2.5 * groups[:, None]  # and groups that only the second does
    role = Analyst(["a", "b"], ["x", "y"], absent=["a/y"], target="population", n_clusters=2)
    for message in contributions(X, rng, ["a/y"]):
        role.receive(message)
    labels = role.partition.labels
    assert adjusted_rand_score(labels[300:], groups[1::2]) > 0.95
    assert set(labels[:300]) <= {0, 1}


def test_maps_without_offset_are_refused():
    with pytest.raises(ValueError, match="needs affine maps"):
        Analyst(["a"], ["x"], target="population", affine=False)


@pytest.mark.parametrize(
    ("X", "columns"),
    [
        (np.zeros((12, 3)), None),
        (np.column_stack([np.arange(12.0), np.full(12, 0.1), np.full(12, 7.0)]), [[0], [1, 2]]),
        (np.arange(12.0)[:, None], None),
        (np.column_stack([np.arange(12.0), 1e6 * np.arange(12.0)]), [[0], [1]]),
        (np.tile(np.arange(4.0), (12, 1)) + np.eye(12, 4), [[0, 1], [2, 3]]),
    ],
    ids=["all alike", "constant columns", "one column", "units far apart", "few directions"],
)
@pytest.mark.parametrize("n_institutions", [1, 2, 12])
def test_result_is_finite_where_there_is_little_to_see(X, columns, n_institutions):
    model = CollaborationClustering(1, columns=columns, target="population", random_state=0)
    model.fit(X, parties=np.arange(12) % n_institutions)
    assert np.isfinite(model.representation_).all()


@pytest.mark.parametrize("rank", [5, 3])
def test_the_gain_by_the_smaller_side_is_that_of_the_formula(rank):
    rng = np.random.default_rng(0)
    H = rng.normal(size=(5, rank)) @ rng.normal(size=(rank, 9))
    spread = rng.normal(size=(5, 5))
    covariance = spread @ spread.T + np.eye(5)
    inside = H.T @ covariance @ H
    ridge = RIDGE * np.trace(inside) / 9
    expected = covariance @ H @ np.linalg.inv(inside + ridge * np.eye(9))
    np.testing.assert_allclose(_gain(covariance, H), expected, atol=1e-5)
