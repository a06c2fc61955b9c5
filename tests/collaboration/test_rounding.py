from dataclasses import replace

import numpy as np
import pytest

from consilience.collaboration.audit.contribution import audit_collaboration
from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.paging import BLOCK_ROWS
from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.rounding import (
    DEFAULT_ROUNDING,
    RoundedReduction,
    choose_steps,
    hiding_share,
    keep_rounded,
    steps_of,
    to_steps,
)
from consilience.mapped import in_file, in_memory
from consilience.study.draft import draft_study
from consilience.study.study import Study


def test_steps_are_the_nearest_powers_of_two_of_a_share_of_the_spread():
    rows = np.array([[0.0, 0.0], [2.0, 6.0]])  # they spread 1 and 3
    assert choose_steps(rows, rows, 1 / 64).tolist() == [1 / 64, 1 / 16]


def test_what_hardly_differs_is_rounded_by_the_anchor():
    one, anchor = np.ones((1, 2)), np.array([[0.0, 0.0], [2.0, 2.0]])
    assert choose_steps(one, anchor, 1 / 8).tolist() == [2.0**-13] * 2
    assert choose_steps(one, one, 1 / 8).tolist() == [1 / 8] * 2, "nothing has any: the unit"
    assert to_steps(anchor, choose_steps(one, anchor, 1 / 8)).dtype == np.int16


@pytest.mark.parametrize("scale", [1e-50, 1e-3, 1.0, 1e50])
def test_the_loss_is_a_share_of_the_variance_in_any_unit(scale):
    Z = scale * np.random.default_rng(0).normal(size=(20_000, 3))
    steps = choose_steps(Z, Z, 1 / 8)
    error = to_steps(Z, steps) * steps - Z
    assert (error / steps).var() == pytest.approx(1 / 12, rel=0.02)
    assert ((steps / scale >= 1 / 12) & (steps / scale <= 1 / 5)).all()


@pytest.mark.parametrize(("far", "kind"), [(1, np.int8), (300, np.int16), (40_000, np.int32)])
def test_one_row_far_out_sets_the_bytes_of_all_blocks(tmp_path, far, kind):
    X = np.random.default_rng(0).normal(size=(2 * BLOCK_ROWS + 3, 2))
    X[-1] = far
    f, steps = AffineReduction(np.zeros(2), np.eye(2)), np.ones(2)
    for keep in (in_memory, in_file(tmp_path)):
        kept = keep_rounded(X, f, steps, keep)
        assert kept.dtype == kind
        np.testing.assert_array_equal(kept, np.rint(X))
    np.testing.assert_array_equal(keep_rounded(X, f, None, in_file(tmp_path)), X)


def test_a_row_far_out_takes_more_bytes_and_one_beyond_all_is_refused():
    Z = np.array([[0.2, 40_000.0]])
    assert to_steps(Z, np.ones(2)).dtype == np.int32
    assert to_steps(Z, np.full(2, 10.0)).dtype == np.int16
    assert to_steps(Z, np.full(2, 1000.0)).dtype == np.int8
    with pytest.raises(ValueError, match="must be at most 2147483647"):
        to_steps(Z, np.full(2, 2.0**-30))


def test_rounding_twice_changes_nothing():
    f = RoundedReduction(AffineReduction(np.zeros(2), np.eye(2)), np.array([0.125, 0.5]))
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert np.array_equal(f.transform(f.transform(X)), f.transform(X))
    assert steps_of(f, 2).tolist() == [0.125, 0.5]
    assert steps_of(f.reduction, 2).tolist() == [0, 0]


def test_drafts_let_parties_choose_their_steps_and_paper_mode_does_not_round(case):
    examples = {"lab": case.tables["a/lab"]}
    drafts = [
        draft_study("clusters", "s", ["a", "b"], examples, id_column="patient id", paper=paper)
        for paper in (False, True)
    ]
    found = [Study.from_text(text).method.reduction.rounding for text in drafts]
    assert found == ["auto", None]


def test_the_less_a_row_holds_the_coarser_is_what_hides_it():
    rng = np.random.default_rng(0)
    f = AffineReduction(np.zeros(8), np.linalg.qr(rng.normal(size=(8, 4)))[0])
    found = [
        hiding_share(rng.integers(n, size=(400, 8)).astype(float), f) for n in (3, 12, 48, 1000)
    ]
    assert found == sorted(found, reverse=True)
    assert found[0] == 1.0
    assert found[-1] == DEFAULT_ROUNDING


def test_categories_of_one_variable_hold_less_than_as_many_flags():
    rng = np.random.default_rng(0)
    X = np.hstack([np.eye(4)[rng.integers(4, size=400)] for _ in range(6)])
    f = AffineReduction(X.mean(axis=0), np.linalg.qr(rng.normal(size=(24, 3)))[0])
    groups = [range(k, k + 4) for k in range(0, 24, 4)]
    assert hiding_share(X, f, groups) > hiding_share(X, f)


def test_where_nothing_can_be_told_of_rows_the_share_is_a_middle_one():
    f = AffineReduction(np.zeros(2), np.eye(2))
    assert hiding_share(np.zeros((3, 2)), f) == 1 / 16
    with pytest.raises(ValueError, match="needs a reduction that is affine"):
        hiding_share(np.zeros((30, 2)), RoundedReduction(f, np.ones(2)))


def test_rows_of_few_values_are_not_decoded_by_a_coalition():
    rng = np.random.default_rng(0)
    X = rng.integers(5, size=(600, 10)).astype(float)
    bounds = X.min(axis=0), X.max(axis=0)
    setting = Setting(n_components=5, scaling="bounds", rotate=True)
    exact = [
        audit_collaboration(X, bounds, replace(setting, rounding=r), quick=True, seed=0)
        for r in (1 / 16, "auto")
    ]
    worst = [max(finding.decoded for finding in audit.findings) for audit in exact]
    assert worst[0] > 0.3
    assert worst[1] <= 0.01


def test_a_weight_to_many_digits_does_not_hide_that_answers_beside_it_are_told():
    rng = np.random.default_rng(0)
    answers = rng.integers(5, size=(600, 9)).astype(float)
    X = np.hstack([answers, rng.normal(75.0, 12.0, size=(600, 1)).astype(np.float32)])
    bounds = X.min(axis=0), X.max(axis=0)
    setting = Setting(n_components=5, scaling="bounds", rotate=True)
    worst = []
    for rounding in (1 / 16, "auto"):
        terms = replace(setting, rounding=rounding)
        audit = audit_collaboration(X, bounds, terms, quick=True, seed=0)
        worst.append(max(finding.decoded for finding in audit.findings))
    assert worst[0] > 0.5
    assert worst[1] <= 0.02


@pytest.mark.parametrize("width", [3, 7, 40, 70])
def test_many_cells_are_rounded_some_at_a_time(monkeypatch, width):
    Z = np.random.default_rng(0).normal(size=(50, width))
    Z[31, 2] = 300.0
    whole = to_steps(Z, np.ones(width))
    monkeypatch.setattr("consilience.collaboration.rounding.CELLS", 64)
    parts = to_steps(Z, np.ones(width))
    assert parts.dtype == whole.dtype == np.int16
    np.testing.assert_array_equal(parts, whole)
