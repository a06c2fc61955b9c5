import pytest

from consilience.exceptions import StudyError
from consilience.study.collection import add_public
from consilience.study.identity import Identity
from consilience.study.study import Study
from consilience.study.toml import to_toml


@pytest.fixture
def bare(case):
    del case.terms["keys"]
    return case.write().path.read_text(encoding="utf-8")


def public(name, role=None, identity=None):
    keys = (identity or Identity.new(name)).public.model_dump()
    return to_toml({"keys": {name: keys}} if role is None else {"approvers": {role: {name: keys}}})


def test_all_keys_are_added_and_adding_them_again_changes_nothing(case, bare):
    sent = {f"{name}.toml": public(name) for name in ("analyst", *case.parties)}
    text, added = add_public(bare, sent)
    assert set(Study.from_text(text).keys) == {"analyst", *case.parties}
    assert added[0] == "keys of analyst"
    assert text.startswith(bare)
    assert add_public(text, sent) == (text, [])


def test_approvers_are_added_to_their_party(bare):
    text, added = add_public(bare, {"x": public("novak", "a/lab")})
    assert set(Study.from_text(text).approvers_of("a/lab")) == {"novak"}
    assert added == ["keys of novak, who approves for a/lab"]


def test_all_contradictions_and_strangers_are_named_at_once(bare):
    text, _ = add_public(bare, {"first": public("a/lab")})
    sent = {
        "second": public("a/lab"),
        "stranger": public("z/lab"),
        "third": public("b/lab"),
        "fourth": public("b/lab"),
        "secret": Identity.new("a/lab").to_text(),
        "no party": public("novak", "analyst/x"),
    }
    with pytest.raises(StudyError, match="nothing was changed") as error:
        add_public(text, sent)
    said = str(error.value)
    for part in (
        "second says otherwise: the keys of a/lab have the fingerprint",
        "stranger is about 'z/lab', who is no role of the study",
        "fourth says otherwise",
        "secret holds no public keys",
        "no party is about 'novak'",
    ):
        assert part in said
    assert "third" not in said


BAD = {
    "no TOML": "[",
    "nothing": "",
    "a term": "name = 'other'\n",
    "keys and a term": public("a/lab") + "\n[grid]\nrows = ['x']\n",
    "a key too many": public("a/lab") + "more = 1\n",
    "half a key": '[keys."a/lab"]\nsign = "00"\n',
    "no table": '[keys]\n"a/lab" = 3\n',
    "approvers of nobody": "[approvers]\nnovak = 3\n",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_is_no_public_file_is_refused(bare, text):
    with pytest.raises(StudyError, match="x holds no public keys"):
        add_public(bare, {"x": text})
