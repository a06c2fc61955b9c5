import pytest

from consilience.exceptions import StudyError
from consilience.report.terms import check_clusters, describe_terms, weak_terms
from consilience.study.study import Study


def study(n_components, **more):
    columns = {f"x{k}": {"kind": "numeric", "bounds": [0, 1]} for k in range(4)}
    columns["ward"] = {"kind": "categorical", "categories": ["a", "b"]}
    return Study.from_terms(
        {
            "name": "s",
            "grid": {"rows": ["r"], "columns": ["c"]},
            "schema": {"c": columns},
            "reduction": {"n_components": {"c": n_components}},
            **more,
        }
    )


@pytest.mark.parametrize(("kept", "weak"), [(1, False), (3, False), (4, True), (5, True)])
def test_keeping_nearly_all_dimensions_is_warned_of(kept, weak):
    # Six encoded columns, but the two categories add up to one: five dimensions.
    assert bool(weak_terms(study(kept), ["c"])) == weak


def test_every_term_a_person_asks_for_is_in_words():
    section = describe_terms(study(3, max_reconstruction=0.5, answer="model"))
    words = " ".join(str(cell) for part in section.parts for row in part.rows for cell in row)
    for expected in ("principal components", "k-means", "left out", "label new rows", "0.5"):
        assert expected in words


def test_study_that_learns_has_no_report_of_clusters():
    learning = {"holder": "c", "target": "outcome", "classes": ["no", "yes"]}
    with pytest.raises(StudyError, match="learns classes"):
        check_clusters(study(3, learning=learning))
