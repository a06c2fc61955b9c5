"""The pages of summaries: the clusters in the units of the tables, and what was spent."""

import numpy as np

from consilience.messages import Summary
from consilience.report.page import render
from consilience.study.study import Study
from consilience.summaries.page import summaries_analyst_page
from consilience.summaries.roles import analyst_of
from summaries.test_terms import TERMS


def test_the_page_of_the_analyst_names_columns_and_who_is_missing():
    study = Study.from_terms({**TERMS, "summaries": {"n_clusters": 2}})
    analyst = analyst_of(study)
    head = {"study": study.digest, "sender": "a/lab", "recipient": "analyst"}
    centers = np.array([[20.0, 1.0, 0.0], [77.0, 0.0, 1.0]])
    sent = Summary(**head, centers=centers, weights=np.array([60.0, 40.0]), errors=np.ones(2))
    analyst.receive(sent)
    analyst.solve()
    html = render(summaries_analyst_page(study, analyst))
    assert "ward=n" in html
    assert "77" in html
    assert "Nothing came from b/lab" in html
    assert "no row of any party ever came here" in html
