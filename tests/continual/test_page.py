import base64

import numpy as np
import pytest

from consilience.continual.page import stream_analyst_page, stream_party_page
from consilience.continual.roles import analyst_of, party_of
from consilience.report.page import Figure, Note, Table, render
from consilience.study.study import Study

TERMS = """
name = "wards"
grid = {rows = ["north", "south"], columns = ["all"]}
[schema.all]
x = {kind = "numeric", bounds = [-20, 60], outside = "clip"}
y = {kind = "numeric", bounds = [-20, 60], outside = "clip"}
[stream]
profile = "reference"
"""


def play(study, n_rounds):
    analyst = analyst_of(study)
    parties = [party_of(study, name) for name in study.grid.parties]
    for number in range(n_rounds):
        for k, party in enumerate(parties):
            rng = np.random.default_rng([k, number])
            X = rng.normal(size=(120, 2)) + 40 * (np.arange(120) % 2)[:, None]
            for message in party.begin(X):
                analyst.receive(message)
        analyst.solve()
    return analyst, parties


def test_rounds_are_drawn_told_in_words_and_counted():
    study = Study.from_text(TERMS)
    analyst, _ = play(study, 3)
    page = stream_analyst_page(study, analyst)
    assert page.private
    section = page.sections[1]
    figure = next(p for p in section.parts if isinstance(p, Figure))
    assert figure.svg.startswith(b"<?xml")
    assert f"round 3: {analyst.network.n_nodes} nodes" in figure.alt
    table = next(p for p in section.parts if isinstance(p, Table))
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    assert table.rows[0][5].startswith("0")
    html = render(page)
    assert base64.b64encode(figure.svg[:300]).decode()[:200] in html


def test_no_node_can_be_read_from_the_page():
    study = Study.from_text(TERMS)
    analyst, _ = play(study, 1)
    page = stream_analyst_page(study, analyst)
    figure = next(p for p in page.sections[1].parts if isinstance(p, Figure))
    text = render(page) + figure.svg.decode()
    assert not any(f"{value:.6f}" in text for value in analyst.network.positions.ravel())


def test_nodes_of_a_party_that_withdrew_are_not_drawn():
    study = Study.from_text(TERMS)
    analyst, _ = play(study, 1)
    analyst.leave("south/all", withdraw=True)
    parts = stream_analyst_page(study, analyst).sections[1].parts
    assert not any(isinstance(p, Figure) for p in parts)
    assert any(isinstance(p, Note) for p in parts)


def test_party_sees_copies_and_the_lack_of_noise():
    study = Study.from_text(TERMS)
    _, (party, _) = play(study, 1)
    page = stream_party_page(study, party, party.budget, sent=(10, 9), labels=np.array([0, 0, 4]))
    html = render(page)
    assert "9 of the 10 nodes" in html
    assert "no privacy is claimed" in html
    assert "cluster 4" in html


def test_party_sees_what_was_spent():
    pytest.importorskip("opendp")
    study = Study.from_text(TERMS + "epsilon = 50.0\nbudget = 200.0\n")
    analyst, (party, _) = play(study, 2)
    html = render(stream_party_page(study, party, party.budget))
    assert "The limit is 200 per record" in html
    table = next(
        p for p in stream_analyst_page(study, analyst).sections[2].parts if isinstance(p, Table)
    )
    assert table.rows[0][3] == 100.0
