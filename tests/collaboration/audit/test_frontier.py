import json

import numpy as np
import pytest
from sklearn.datasets import load_wine

from consilience.collaboration.audit.frontier import Frontier, Point, draw_frontier, settings_to_try
from consilience.collaboration.audit.scene import Setting
from consilience.exceptions import StudyError

X = load_wine().data
BOUNDS = X.min(axis=0), X.max(axis=0)


def point(agreement, reconstruction, top1=0.0):
    return Point("a setting", 3, agreement, reconstruction, top1)


def test_knee_rebuilds_least_among_settings_that_still_agree():
    points = (point(1.0, 0.99), point(0.96, 0.6), point(0.94, 0.2), point(0.1, 0.0))
    assert Frontier(points).knee is points[1]


def test_ties_go_to_the_setting_that_recognises_fewer_rows():
    points = (point(1.0, 0.5, top1=0.9), point(1.0, 0.5, top1=0.2))
    assert Frontier(points).knee is points[1]


def test_fewer_dimensions_rebuild_less_and_noise_costs_agreement():
    paper, half = (Setting(scaling="bounds", n_components=k) for k in (12, 6))
    rng = np.random.default_rng(0)
    width = BOUNDS[1] - BOUNDS[0]
    noisy = Setting(
        scaling="bounds",
        n_components=6,
        noise=lambda rows: rows + rng.laplace(scale=width, size=rows.shape),
    )
    settings = {"paper": paper, "half": half, "noisy": noisy}
    a, b, c = draw_frontier(X, BOUNDS, settings, 3, seed=0).points
    assert a.reconstruction > b.reconstruction > c.reconstruction
    assert min(a.agreement, b.agreement) > 0.8 > c.agreement


def test_settings_cover_dimensions_rotation_and_anchor():
    settings = settings_to_try(Setting(anchor="uniform"), 13, {"epsilon 9": np.negative})
    assert settings["6 dimensions, epsilon 9"].noise is np.negative
    assert {t.n_components for t in settings.values()} == {2, 3, 6, 10, 12}
    assert any(t.rotate for t in settings.values())
    assert any(t.anchor == "gaussian" for t in settings.values())


def test_rows_exactly_are_graver_than_a_typical_column():
    exact = Point("a", 3, 1.0, 0.3, 0.0, exact=0.9)
    assert exact.level == "red"
    assert Frontier((exact, point(0.97, 0.8))).knee.reconstruction == 0.8


def test_what_the_study_has_now_is_among_the_settings_and_marked():
    present = Setting(scaling="bounds", n_components=5, rotate=True)
    settings = settings_to_try(present, 13)
    assert settings["as the study has it"] == present
    few = {name: settings[name] for name in ("as the study has it", "6 dimensions")}
    frontier = draw_frontier(X, BOUNDS, few, 3, n_repeats=1, seed=0, present=present)
    assert [p.present for p in frontier.points] == [True, False]
    assert "as the study has it  (present)" in frontier.to_text()
    assert "as the study has it" not in settings_to_try(Setting(), 13)


def test_too_few_rows_are_refused():
    with pytest.raises(StudyError, match="a frontier needs 40"):
        draw_frontier(X[:30], BOUNDS, {"one": Setting()}, 10)


def test_constant_table_is_refused():
    with pytest.raises(StudyError, match="near-constant"):
        draw_frontier(np.ones((50, 2)), (np.zeros(2), np.ones(2)), {"one": Setting()}, 2)


def test_frontier_is_written_for_people_and_machines():
    frontier = Frontier((point(1.0, 0.99), point(0.96, 0.6)))
    assert "summaries" in frontier.to_text()
    marked = [line for line in frontier.to_text().splitlines() if line.endswith("<- knee")]
    assert len(marked) == 1
    assert "0.96" in marked[0]
    assert [p["knee"] for p in json.loads(frontier.to_json())["points"]] == [False, True]


def test_a_notebook_shows_every_setting_and_marks_the_knee():
    points = (point(1.0, 0.9), point(0.97, 0.5))
    html = Frontier(points)._repr_html_()
    assert html.count("<tr>") == 3
    assert html.count("(the knee)") == 1
