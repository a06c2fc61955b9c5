from benchmarks.attacks import trials
from benchmarks.tables import Trials


def test_every_table_gets_its_cells_and_controls_stay_low(make_study):
    parts = (trials.collusion, trials.known_rows, trials.linkage)
    study, seeds = make_study(), range(3)
    measured = Trials({f"{p} {s}": p(study, s) for p in parts for s in seeds})
    cell = ("Collusion", "small", "m-1")
    assert measured.mean((*cell, "with prior", "median R2")) > 0.9
    assert measured.mean((*cell, "least squares, wrong anchor", "median R2")) <= 0
    known = ("Known rows", "small", "m-1")
    told = measured.mean((*known, "shared coordinates", "median R2"))
    assert told > measured.mean((*known, "labels", "median R2"))
    order = ("Linkage", "small", "m-1")
    assert measured.mean((*order, "order of the table", "top-1")) == 1
    assert measured.mean((*order, "order of the shuffled table", "top-1")) < 0.2


def test_few_anchors_suffice_for_the_prior(make_study):
    found = dict(trials.anchor_rows(make_study(), 0))
    assert found["Anchor rows", "small", "m-1, r = m + 1", "with prior", "median R2"] > 0.9


def test_analyst_alone_unmixes_a_uniform_anchor_and_not_a_gaussian_one(make_study):
    found = dict(trials.alone(make_study(), 0))
    uniform, gaussian = (
        found["Analyst alone", "small", f"{kind}, r = 2000", "oracle", "median R2"]
        for kind in ("uniform", "gaussian")
    )
    assert uniform > 0.8 > gaussian
    control = "by quantiles and correlations, control"
    assert found["Analyst alone", "small", "uniform, r = 2000", control, "median R2"] <= 0
