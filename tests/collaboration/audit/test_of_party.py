import numpy as np
import pytest

from consilience.collaboration.audit.of_party import (
    audit_party,
    foresee,
    frontier_of_party,
    setting_of,
)
from consilience.collaboration.reduction import fit_reduction
from consilience.exceptions import StudyError
from consilience.study.study import Study

COLUMNS = "\n".join(f'c{k} = {{kind = "numeric", bounds = [-9, 9]}}' for k in range(6))
TEXT = f"""
name = "example"
answer = "representation"
max_reconstruction = 0.5
grid = {{rows = ["north", "south"], columns = ["lab", "home"], absent = ["south/home"]}}
clustering = {{n_clusters = 2}}
reduction = {{n_components = {{lab = 5}}, rotate = false}}
[schema.lab]
{COLUMNS}
[schema.home]
income = {{kind = "numeric", bounds = [0, 9]}}
rooms = {{kind = "numeric", bounds = [0, 9]}}
"""
STUDY = Study.from_text(TEXT)


def noisy(epsilon):
    terms = STUDY.terms()
    terms["reduction"] |= {} if epsilon is None else {"epsilon": epsilon}
    return Study.from_terms(terms)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    means = np.repeat([[-3.0], [3.0]], 40, axis=0)
    return np.clip(means + rng.normal(size=(80, 6)), -9, 9)


def test_terms_follow_the_study():
    terms = setting_of(STUDY, "north/lab")
    assert (terms.n_components, terms.rotate, terms.scaling) == (5, False, "bounds")
    assert terms.answer == "representation"
    assert terms.n_institutions == 2
    assert setting_of(STUDY, "north/home").n_institutions == 1


def test_stranger_is_refused_with_the_parties():
    with pytest.raises(StudyError, match="'west/lab' is not a party"):
        setting_of(STUDY, "west/lab")


def test_audit_names_columns_by_the_schema(X):
    audit = audit_party(STUDY, "north/lab", X, quick=True, seed=0)
    assert audit.worst.worst_feature in {f"c{k}" for k in range(6)}


def test_frontier_has_the_settings_of_the_study(X):
    frontier = frontier_of_party(STUDY, "north/lab", X, epsilons=[5.0], seed=0)
    points = {p.setting: p for p in frontier.points}
    assert "5 dimensions" in points
    assert frontier.knee.agreement > 0.9
    noisy, plain = points["3 dimensions, epsilon 5 per row"], points["3 dimensions, rotated"]
    assert noisy.reconstruction < plain.reconstruction


def test_frontier_chooses_the_number_of_clusters_where_the_study_does_not(X):
    terms = STUDY.terms() | {"clustering": {}}
    frontier = frontier_of_party(Study.from_terms(terms), "north/lab", X, seed=0)
    assert max(p.agreement for p in frontier.points) > 0.9


def test_audit_sees_the_noise_of_the_study(X):
    def rebuilt(epsilon):
        audit = audit_party(noisy(epsilon), "north/lab", X, quick=True, seed=0)
        assert audit.terms["noise"] is (epsilon is not None)
        return audit.reconstruction

    assert rebuilt(10.0) < 0.3 < rebuilt(1000.0) <= rebuilt(None)


def test_noise_of_an_audit_is_fresh_at_every_call_and_repeatable():
    study = noisy(10.0)
    rows = np.zeros((4, 6))
    one, two = (setting_of(study, "north/lab", seed=3).noise for _ in range(2))
    first = one(rows)
    assert not np.isin(first, one(rows)).any()
    np.testing.assert_array_equal(first, two(rows))


@pytest.mark.parametrize(
    ("explain", "who"),
    [("no", "one party with the same columns"), ("all", "any one party of the study")],
)
def test_where_all_hold_the_anchor_any_party_may_collude(X, explain, who):
    learning = {"holder": "home", "target": "ill", "classes": ["no", "yes"], "explain": explain}
    study = Study.from_terms({**STUDY.terms(), "answer": "labels", "learning": learning})
    audit = audit_party(study, "north/lab", X, quick=True, seed=0)
    found = {f.attack: f for f in audit.findings}
    assert who in found["collusion"].coalition
    # Rows alike are only where the columns are.
    assert "the same columns" in found["collusion with prior"].coalition
    advised = any("learning.explain = 'column'" in text for text in audit.advice)
    assert advised is (explain == "all")


def test_all_that_ever_left_is_attacked_together(X):
    rng = np.random.default_rng(1)
    fit = {"n_components": 3, "scaling": "bounds", "bounds": STUDY.schema_of("lab").bounds}
    maps = [fit_reduction(X[rng.permutation(80)[:60]], "pca", rng=rng, **fit) for _ in range(2)]

    def rebuilt(*maps):
        audit = audit_party(STUDY, "north/lab", X, quick=True, seed=0, maps=maps)
        return {f.attack: f for f in audit.findings}["collusion"].median_r2.mean

    once = rebuilt(maps[1])
    assert rebuilt(maps[1], maps[1]) == pytest.approx(once, abs=1e-6)
    assert once < 0.97 < 0.9999 < rebuilt(*maps)


def test_categories_that_are_always_one_of_several_are_known_to_the_attacker():
    terms = STUDY.terms()
    wards = {"kind": "categorical", "categories": ["a", "b", "c"]}
    terms["schema"]["home"] |= {"ward": wards, "other": wards | {"missing": "fill"}}
    terms["schema"]["home"]["floor"] = {"kind": "ordinal", "categories": ["1", "2"]}
    assert setting_of(Study.from_terms(terms), "north/home").groups == ((2, 3, 4),)


def mixed_study(scaling):
    """Numbers with groups in wide bounds, and a category that says nothing of them."""
    wide = "\n".join(
        f'c{k} = {{kind = "numeric", bounds = [-99, 99], spread = 3.0}}' for k in range(5)
    )
    text = TEXT.replace(
        COLUMNS, wide + '\nsmoker = {kind = "categorical", categories = ["n", "y"]}'
    )
    text = text.replace("rotate = false", f'scaling = "{scaling}", rotate = false')
    return Study.from_text(text.replace("lab = 5", "lab = 3"))


@pytest.mark.parametrize(("scaling", "warned"), [("bounds", True), ("spread", False)])
def test_clusters_that_would_be_a_column_are_foreseen(X, scaling, warned):
    smokes = np.arange(80) % 2
    rows = np.column_stack([X[:, :5], 1 - smokes, smokes])
    found = foresee(mixed_study(scaling), "north/lab", rows, n_clusters=2, seed=0)
    assert any("almost exactly the column smoker" in text for text in found) == warned
