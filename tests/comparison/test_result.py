import pandas as pd

from consilience.comparison.result import Comparison

TABLE = pd.DataFrame(
    {"agreement": [1.0, 0.5], "kilobytes": [1234.5, float("nan")], "recognised": [0.025, 1.0]},
    index=["pooled", "<mine>"],
)
RESULT = Comparison(TABLE, {"stream": "it refused."})


def test_what_is_not_known_is_a_dash():
    assert RESULT.rows() == [
        ["pooled", "1.000", "1,234.5", "2.5%"],
        ["<mine>", "0.500", "–", "100%"],
    ]


def test_a_dash_says_what_it_means_where_there_is_one():
    assert "–: not known" in str(RESULT)
    assert "–: not known" in RESULT._repr_html_()
    assert "not known" not in str(Comparison(TABLE[:1], {}))


def test_a_notebook_shows_the_table_and_what_was_left_out():
    html = RESULT._repr_html_()
    assert "&lt;mine&gt;" in html
    assert "it refused." in html
    assert "it refused." in str(RESULT)
