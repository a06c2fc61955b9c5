import numpy as np
import pytest

from benchmarks.attacks import run
from benchmarks.attacks.studies import Study
from benchmarks.tables import Trials
from consilience.privacy.audits import count_columns


@pytest.fixture
def study():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=150).astype(np.int64)
    X = 2.0 * y[:, None] + rng.normal(size=(150, 5)) @ rng.normal(size=(5, 5))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return Study("small", X, y, count_columns(X), "standardised")


def test_every_table_gets_its_cells_and_controls_stay_low(study):
    measured = Trials()
    for seed in range(3):
        run._collusion(measured, study, seed)
        run._known_rows(measured, study, seed)
        run._linkage(measured, study, seed)
    cell = ("Collusion", "small", "m-1")
    assert measured.mean((*cell, "with prior", "median R2")) > 0.9
    assert measured.mean((*cell, "least squares, wrong anchor", "median R2")) <= 0
    known = ("Known rows", "small", "m-1")
    told = measured.mean((*known, "shared coordinates", "median R2"))
    assert told > measured.mean((*known, "labels", "median R2"))
    order = ("Linkage", "small", "m-1")
    assert measured.mean((*order, "order of the table", "top-1")) == 1
    assert measured.mean((*order, "order of the shuffled table", "top-1")) < 0.2


def test_few_anchors_suffice_for_the_prior(study):
    measured = Trials()
    run._anchor_rows(measured, study, 0)
    cell = ("Anchor rows", "small", "m-1, r = m + 1", "with prior", "median R2")
    assert measured.mean(cell) > 0.9


def test_analyst_alone_unmixes_a_uniform_anchor_and_not_a_gaussian_one(study):
    measured = Trials()
    run._alone(measured, study, 0)
    uniform, gaussian = (
        measured.mean(("Analyst alone", "small", f"{kind}, r = 2000", "oracle", "median R2"))
        for kind in ("uniform", "gaussian")
    )
    assert uniform > 0.8 > gaussian
    control = "by quantiles and correlations, control"
    cell = ("Analyst alone", "small", "uniform, r = 2000", control, "median R2")
    assert measured.mean(cell) <= 0
