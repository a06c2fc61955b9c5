"""A role at a carrier."""

import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.in_process import Memory
from consilience.carriers.parcel import EVERYONE
from consilience.cli.shared.post import STUDY, Post, fetch_study
from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.succession import state_succession


@pytest.fixture
def carrier():
    return Carrier(Memory())


def test_only_what_the_ledger_says_left_is_put(case, carrier):
    case.contribute("a/lab")
    me = case.participant("a/lab")
    (case.folder / "out" / "secret.txt").write_text("not for others")
    post = Post(carrier, me, case.folder / "out")
    assert post.send() == []  # the ledger does not say to whom
    about = {"study": case.study.digest, "file": "a.lab.contribution", "to": "analyst"}
    me.folder.ledger.add("contribution", **about)
    me.folder.ledger.add("contribution", **{**about, "study": "another", "file": "secret.txt"})
    assert [p.name for p in post.send()] == ["a.lab.contribution"]
    assert [p.name for p in carrier.list("analyst")] == ["a.lab.contribution"]


def test_a_later_letter_in_ones_own_name_is_left_alone_and_told(case, carrier, tmp_path, capsys):
    case.contribute("a/lab")
    me = case.participant("a/lab")
    about = {"study": case.study.digest, "file": "a.lab.contribution", "to": "analyst"}
    me.folder.ledger.add("contribution", **about)
    post = Post(carrier, me, case.folder / "out")
    [mine] = post.send()
    assert capsys.readouterr().err == ""
    (tmp_path / "other").write_bytes(b"left from another folder")
    other = carrier.put(
        tmp_path / "other", sender="a/lab", recipient="analyst", name="a.lab.contribution"
    )
    for told in (True, False):  # once
        assert post.send() == [mine]
        assert ("did not leave from" in capsys.readouterr().err) is told
    assert carrier.list("analyst") == [mine, other]


def test_the_latest_letter_that_can_be_used_counts(case, carrier, tmp_path, capsys):
    case.contribute("a/lab", "b/lab")
    good, other = case.sent("a/lab"), case.sent("b/lab")
    junk = tmp_path / "junk"
    junk.write_bytes(b"junk")
    first = carrier.put(good, sender="a/lab", recipient="analyst", name="letter")
    carrier.put(junk, sender="a/lab", recipient="analyst", name="letter")
    # Signed by another than who it is said to come from.
    carrier.put(other, sender="a/lab", recipient="analyst", name="letter")
    carrier.put(good, sender="a/lab", recipient="analyst", name="../outside")
    post = Post(carrier, case.participant("analyst"), tmp_path / "home")
    [(letter, path)] = post.letters()
    assert (letter.message.sender, path.read_bytes()) == ("a/lab", good.read_bytes())
    assert carrier.list("analyst")[1] == first
    assert "cannot be used" in capsys.readouterr().err
    assert [found for found, _ in post.letters()] == [letter]  # and is not read again


def test_a_study_is_put_by_the_analyst_and_taken_by_a_party(case, carrier, tmp_path):
    mine = tmp_path / STUDY
    assert not fetch_study(carrier, "a/lab", mine, accept=False)
    assert fetch_study(carrier, "analyst", case.path, accept=False)
    assert fetch_study(carrier, "a/lab", mine, accept=False)
    assert mine.read_bytes() == case.path.read_bytes()


def test_a_place_that_holds_back_new_keys_changes_nothing(case, carrier, tmp_path):
    fetch_study(carrier, "analyst", case.path, accept=False)
    new = Identity.new("a/lab")
    old = case.identities["a/lab"]
    envelope = state_succession(case.study.digest, "a/lab", old.public, new, [], old)
    followed = f"{case.path.read_text()}\n[[succession]]\nenvelope = '{envelope.to_text()}'\n"
    mine = tmp_path / STUDY
    mine.write_text(followed, encoding="utf-8")
    assert fetch_study(carrier, "b/lab", mine, accept=False)
    assert mine.read_text(encoding="utf-8") == followed
    case.path.write_text(followed, encoding="utf-8")
    fetch_study(carrier, "analyst", case.path, accept=False)
    other = tmp_path / "other" / STUDY
    other.parent.mkdir()
    assert fetch_study(carrier, "b/lab", other, accept=False)
    assert other.read_text(encoding="utf-8") == followed


def test_a_study_of_other_terms_is_refused_until_accepted(case, carrier, tmp_path):
    mine = tmp_path / STUDY
    mine.write_bytes(case.path.read_bytes())
    case.terms["clustering"]["n_clusters"] = 2
    case.write()
    fetch_study(carrier, "analyst", case.path, accept=False)
    with pytest.raises(StudyError, match=r"clustering.n_clusters is 2 here and 3 there.*--accept"):
        fetch_study(carrier, "a/lab", mine, accept=False)
    assert fetch_study(carrier, "a/lab", mine, accept=True)
    assert mine.read_bytes() == case.path.read_bytes()


def test_a_study_that_is_none_is_refused(carrier, tmp_path):
    (tmp_path / "bad").write_text("name = 3")
    carrier.put(tmp_path / "bad", sender="analyst", recipient=EVERYONE, name=STUDY)
    with pytest.raises(StudyError):
        fetch_study(carrier, "a/lab", tmp_path / STUDY, accept=False)
    assert not (tmp_path / STUDY).exists()
