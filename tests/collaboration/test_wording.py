import pytest

from consilience.by_files import by_files
from consilience.collaboration.wording import describe_clusters, weak_terms
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
    section = describe_clusters(study(3, max_reconstruction=0.5, answer="model"))
    words = " ".join(str(cell) for part in section.parts for row in part.rows for cell in row)
    for expected in ("principal components", "k-means", "left out", "label new rows", "0.5"):
        assert expected in words


@pytest.mark.parametrize("terms", [{"explain": "all"}, {"explain": "column", "smote": True}])
def test_an_anchor_that_every_party_holds_is_said_and_warned_of(terms):
    columns = {f"x{k}": {"kind": "numeric", "bounds": [0, 1]} for k in range(9)}
    public = {"kind": "smote", "public": "p.csv", "public_sha256": "0" * 64}
    learning = {"holder": "c", "target": "ill", "classes": ["no", "yes"]}
    wide = {
        "grid": {"rows": ["r"], "columns": ["c", "d"]},
        "schema": {"c": columns, "d": {f"y{k}": columns[f"x{k}"] for k in range(9)}},
    }
    learning["explain"] = terms["explain"]
    found = study(2, learning=learning, anchor=public if "smote" in terms else {}, **wide)
    (note,) = weak_terms(found, ["c"])
    assert "colludes with any one" in note.text
    words = " ".join(
        str(cell) for row in by_files(found, "report").describe(found).parts[0].rows for cell in row
    )
    assert "every party holds that of all columns" in words
    assert ("public rows" in words) == ("smote" in terms)
    assert not weak_terms(study(2, learning={**learning, "explain": "column"}, **wide), ["c"])
