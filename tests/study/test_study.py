import contextlib
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.collaboration.terms import Clusters
from consilience.consensus.terms import Peers
from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.study import MAX_STUDY_BYTES, Study
from consilience.study.wording import difference

TEXT = """\
name = "example"
answer = "labels"

[grid]
rows = ["north", "south"]
columns = ["lab"]

[ids]
unmatched = "drop"

[clustering]
n_clusters = 3     # a comment
seed = 0

[reduction]
n_components = {lab = 2}

[schema.lab]
age = {kind = "numeric", bounds = [0, 120]}
"blood = [mmHg]" = {kind = "numeric", bounds = [0, 300]}
ward = {kind = "categorical", categories = ["n", "s"]}

[keys."north/lab"]
sign = "SIGN"
seal = "SEAL"
"""
PUBLIC = Identity.new("north/lab").public
TEXT = TEXT.replace("SIGN", PUBLIC.sign).replace("SEAL", PUBLIC.seal)


def test_study_is_read_with_its_defaults():
    study = Study.from_text(TEXT)
    assert study.grid.parties == ["north/lab", "south/lab"]
    method = study.of(Clusters)
    assert method.n_components(study, "lab") == 2
    assert study.n_features == 4
    assert (method.reduction.rotate, method.anchor.kind) == (True, "gaussian")
    assert study.public_keys("north/lab") == PUBLIC
    with pytest.raises(StudyError, match="no public keys of 'south/lab'"):
        study.public_keys("south/lab")


def test_terms_of_another_kind_are_not_to_be_had():
    with pytest.raises(StudyError, match="'example' is a study of clusters, and this is done in"):
        Study.from_text(TEXT).of(Peers)


def test_digest_is_the_hash_of_canonical_json():
    study = Study.from_text(TEXT)
    text = json.dumps(study.terms(), sort_keys=True, separators=(",", ":"))
    assert study.digest == hashlib.sha256(text.encode()).hexdigest()
    assert Study.from_terms(json.loads(text)).digest == study.digest


def test_digest_follows_the_terms_and_not_the_writing():
    digest = Study.from_text(TEXT).digest
    same = (
        TEXT.replace("seed = 0\n", "").replace("# a comment", "").replace("[0, 120]", "[0.0,120]")
    )
    assert Study.from_text(same).digest == digest
    for old, new in (
        ('"example"', '"Example"'),
        ("n_clusters = 3", "n_clusters = 4"),
        ("[0, 120]", "[0, 121]"),
        ('["n", "s"]', '["s", "n"]'),
        ("seed = 0", "seed = 1"),
        (PUBLIC.sign, "0" * 64),
        ('["north", "south"]', '["north", "south", "west"]'),
        ('"drop"', '"keep"'),
    ):
        assert old in TEXT
        assert Study.from_text(TEXT.replace(old, new)).digest != digest


def test_difference_is_told_in_words():
    here = Study.from_text(TEXT)
    there = Study.from_text(TEXT.replace("n_clusters = 3", 'n_clusters = "auto"'))
    assert difference(here.terms(), here.terms()) == []
    assert difference(here.terms(), there.terms()) == [
        'clustering.n_clusters is 3 here and "auto" there'
    ]
    fewer = Study.from_text(TEXT.partition("[keys")[0])
    assert "keys.north/lab.seal is" in " ".join(difference(here.terms(), fewer.terms()))


PEERS = """
name = "people"
kind = "peers"
grid = {rows = ["people"], columns = ["bank"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
"""


def test_a_file_that_names_its_kind_has_the_terms_of_that_kind_and_no_others():
    study = Study.from_text(PEERS)
    assert study.carried is None
    assert set(study.terms()) == {
        *("format", "kind", "name", "grid", "schema", "ids", "keys", "consensus")
    }
    for table in ("reduction", "anchor", "clustering", "learning", "stream"):
        with pytest.raises(StudyError, match=f"line 7, {table}: Extra inputs are not permitted"):
            Study.from_text(PEERS + f"[{table}]\n")


@pytest.mark.parametrize("kind", ["peer", "", 3, ["peers"], {"peers": 1}])
def test_an_unknown_kind_is_refused_with_those_there_are(kind):
    rule = r"kind == .*, must be one of clusters, classes, groups, peers, stream"
    with pytest.raises(StudyError, match=rule):
        Study.from_terms({**Study.from_text(PEERS).terms(), "kind": kind})


def test_what_is_wrong_with_the_kind_does_not_hide_what_else_is_wrong():
    with pytest.raises(StudyError, match=r"consensus\.seed.*; .*grid\.rows\.0"):
        Study.from_text(PEERS.replace('"people"]', '"People"]') + "[consensus]\nseed = -1\n")


# What is changed in the text, the line it stands in, and what is said.
ERRORS = {
    "no TOML": ("seed = 0", "seed = ", r"not valid TOML.*line 13"),
    "unknown value": ('"drop"', '"lose"', r"line 9, ids.unmatched: .*'drop', 'keep' or 'refuse'"),
    "unknown field": ("seed = 0", "seeds = 0", r"line 13, clustering.seeds: Extra"),
    "negative": ("n_clusters = 3", "n_clusters = 0", r"line 12, clustering.n_clusters"),
    "kind of answer": ('"labels"', '"all"', r"line 2, answer: "),
    "bounds": ("[0, 120]", "[120, 0]", r"line 19, schema.lab.age: bounds == "),
    "bounds infinite": ("[0, 120]", "[0, inf]", r"line 19, schema.lab.age.bounds"),
    "bounds of a quoted name": ("[0, 300]", "[0]", r"line 20, schema.lab.blood = \[mmHg\].bounds"),
    "kind": ('kind = "categorical"', 'kind = "text"', r"line 21, schema.lab.ward: "),
    "one category": ('["n", "s"]', '["n"]', r"line 21, schema.lab.ward.categories"),
    "categories twice": ('["n", "s"]', '["n", "n"]', r"line 21, schema.lab.ward: categories"),
    "row names": ('"north", "south"', '"North"', r"line 5, grid.rows.0"),
    "rows twice": ('"north", "south"', '"a", "a"', r"line 5, grid: rows == .* must not repeat"),
    "absent": ('columns = ["lab"]', 'columns = ["lab"]\nabsent = ["x/y"]', r"line 7, grid: absent"),
    "no schema": ("[schema.lab]", "[schema.labs]", r"line 18, the study: schema describes"),
    "all dimensions": ("{lab = 2}", "{lab = 4}", r"line 16, the study: reduction.n_components.lab"),
    "strange column": (
        "{lab = 2}",
        "{lab = 2, x = 1}",
        r"line 16, the study: reduction.n_components names \['x'\]",
    ),
    "few anchor rows": ("[ids]", "[anchor]\nn_rows = 4\n[ids]", "line 9, the study: anchor.n_rows"),
    "strange key": ('"north/lab"', '"west/lab"', r"line 23, the study: keys names \['west/lab'\]"),
    "short key": (PUBLIC.sign, "ab", r"line 24, keys.north/lab.sign"),
    "wrong letter in a key": (PUBLIC.seal, PUBLIC.seal[:-1] + "1", "line 25, keys.north/lab.seal"),
    "format": ('name = "example"', 'name = "e"\nformat = 2', r"line 2, format: "),
    "name missing": ('name = "example"', "", r"name: Field required"),
    "number of many digits": ("seed = 0", "seed = " + "1" * 5000, "not valid TOML"),
    "number of many hexadecimal digits": ("seed = 0", "seed = 0x" + "f" * 5000, "line 13, clust"),
    "deep": ("seed = 0", "seed = " + "[" * 3000, "not valid TOML"),
    "huge anchor": ("[ids]", "[anchor]\nn_rows = 1_000_000_000\n[ids]", "line 9, anchor.n_rows"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "reason"), ERRORS.values(), ids=ERRORS)
def test_error_names_line_and_field(old, new, reason):
    assert old in TEXT
    with pytest.raises(StudyError, match=reason) as caught:
        Study.from_text(TEXT.replace(old, new, 1), "study.toml")
    assert str(caught.value).startswith("study.toml")


def test_file_that_is_no_text_or_too_large_is_refused(tmp_path):
    path = tmp_path / "study.toml"
    for data, reason in (
        (b"\xff\xfe", "not a text file"),
        (b"#" * (MAX_STUDY_BYTES + 1), "larger"),
    ):
        path.write_bytes(data)
        with pytest.raises(StudyError, match=reason):
            Study.load(path)


BOUNDED = settings(max_examples=100)


@BOUNDED
@given(text=st.text(max_size=200))
def test_arbitrary_text_is_no_study(text):
    with pytest.raises(StudyError):
        Study.from_text(text)


@BOUNDED
@given(data=st.data())
def test_mutated_study_is_read_or_refused(data):
    text = TEXT
    pieces = ["[", "]", "{", "}", "=", '"', "'", "\n", "inf", "nan", "-1", "1e999", "2024-01-01",
              "true", "\\u0000", "[[a]]", "a.b", "9" * 30, "\x7f", "lab", "#"]  # fmt: skip
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 12))
        text = text[:place] + data.draw(st.sampled_from(pieces)) + text[place + cut :]
    with contextlib.suppress(StudyError):
        study = Study.from_text(text)
        assert Study.from_terms(json.loads(json.dumps(study.terms()))).digest == study.digest


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@BOUNDED
@given(data=st.data())
def test_terms_with_anything_in_any_place_are_read_or_refused(data):
    terms = Study.from_text(TEXT).terms()
    place = terms
    while True:
        key = data.draw(st.sampled_from(sorted(place)))
        if not isinstance(place[key], dict) or not place[key] or data.draw(st.booleans()):
            place[key] = data.draw(JSON)
            break
        place = place[key]
    with contextlib.suppress(StudyError):
        assert len(Study.from_terms(terms).digest) == 64


def test_a_notebook_shows_who_agreed_on_what():
    study = Study.from_text(TEXT)
    html = study._repr_html_()
    assert "north/lab, south/lab" in html
    assert study.fingerprint in html
