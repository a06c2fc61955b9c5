"""Study files that do not name their kind: one table makes one, and they keep their digest."""

from itertools import combinations

import pytest

from consilience.exceptions import StudyError
from consilience.study.study import Study
from consilience.study.untagged import infer_kind

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
debt = {kind = "numeric", bounds = [0, 100]}
"""
LEARNING = '[learning]\nholder = "bank"\ntarget = "ill"\nclasses = ["no", "yes"]\n'
TABLES = {
    "clusters": "",
    "classes": LEARNING,
    "groups": LEARNING + 'labels = "distribution"\nthreshold = 0.3\n',
    "peers": "[consensus]\n",
    "stream": "[stream]\n",
}
DIGESTS = {
    "clusters": "6bcd4a37e57de303adef58ead46da85fe61a610e564a9d68f0cadd337026e485",
    "classes": "a5c7525a97873c7c2eb371a507741c79c553914dddbf0af6214aa640e31a35ee",
    "groups": "c0f654cc589b89e288a278545447ca3d529af1cf4ef8d2bb3d66e5ebf288fe9d",
    "peers": "ed20853ab7a2c63738fa6b53f58f2ce9a346774acae3ac39f6d04a9e70d35199",
    "stream": "2dd97ef8ddd29b36a6701f25eed428babbdeace1a82e180a33fbd5fdaffa1687",
}
"""What the terms had for a digest before a file could name its kind."""


@pytest.mark.parametrize("kind", TABLES)
def test_the_table_it_has_makes_the_kind_and_the_digest_is_what_it_was(kind):
    study = Study.from_text(TEXT + TABLES[kind])
    assert (study.kind, study.method.kind) == (None, kind)
    assert study.digest == DIGESTS[kind]
    assert Study.from_terms(study.terms()).digest == study.digest


@pytest.mark.parametrize("kind", TABLES)
def test_naming_the_kind_makes_it_another_study_with_the_same_terms_of_its_own(kind):
    plain = Study.from_text(TEXT + TABLES[kind])
    tagged = Study.from_text(f'kind = "{kind}"\n' + TEXT + TABLES[kind])
    assert tagged.method == plain.method
    assert tagged.digest != plain.digest


@pytest.mark.parametrize("pair", [*combinations(["classes", "peers", "stream"], 2)])
def test_two_tables_that_each_make_a_kind_are_refused(pair):
    with pytest.raises(StudyError, match=r"has \[\w+\] and \[\w+\], must have one of them at most"):
        Study.from_text(TEXT + "".join(TABLES[kind] for kind in pair))


def test_all_three_are_refused_by_name():
    with pytest.raises(ValueError, match=r"\[learning\] and \[consensus\] and \[stream\]"):
        infer_kind({"stream": {}, "consensus": {}, "learning": {}})


def test_what_is_no_table_makes_no_groups():
    assert infer_kind({"learning": "distribution"}) == "classes"


@pytest.mark.parametrize("kind", ["peers", "stream", "groups"])
def test_noise_on_rows_that_nobody_sends_is_refused(kind):
    with pytest.raises(StudyError, match=f"in a study of {kind} they send none"):
        Study.from_text(TEXT + TABLES[kind] + "[reduction]\nepsilon = 9.0\n")


def test_idle_terms_are_kept_for_the_digest_and_mean_nothing():
    idle = Study.from_text(TEXT + TABLES["peers"] + "[clustering]\nn_clusters = 9\n")
    plain = Study.from_text(TEXT + TABLES["peers"])
    assert idle.method == plain.method
    assert idle.digest != plain.digest
    assert idle.terms()["clustering"]["n_clusters"] == 9
