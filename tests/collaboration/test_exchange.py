"""What studies of reduced rows do alike by files: what leaves, who is answered, what is mapped."""

from dataclasses import replace

import numpy as np
import pytest

from consilience.by_files import by_files
from consilience.collaboration.exchange import map_rows, read_reduction, sent_rows, take_answer
from consilience.collaboration.reduction import AffineReduction
from consilience.exceptions import BundleError, StudyError
from consilience.messages import Answer
from consilience.sources import delimited, parts
from consilience.transports.bundle import manifest_of

MODEL = {"linear": np.array([[2.0], [1.0]]), "offset": np.array([1.0])}
SAME = AffineReduction(np.zeros(2), np.eye(2))


def answer(**more):
    header = {"study": "", "sender": "analyst", "recipient": "a/lab"}
    return Answer(**header, labels=np.zeros(1, dtype=np.int64), n_clusters=1, **more)


def solve(case, parties):
    letters = [case.letter("analyst", case.sent(party)) for party in parties]
    return by_files(case.study, "analyse").solve(case.participant("analyst"), letters)


def test_a_contribution_is_the_reduction_of_the_rows_and_is_audited(case):
    case.contribute("a/lab")
    message = case.letter("analyst", case.sent("a/lab")).message
    me, rows = case.participant("a/lab"), case.participant("a/lab").read_rows(case.source("a/lab"))
    (digest,) = me.folder.ledger.contributions(case.study.digest)
    reduction = read_reduction(me, answer(contribution=digest))
    assert np.allclose(message.representation, reduction.transform(rows.matrix))
    assert (message.pseudonyms == rows.pseudonyms).all()
    assert sent_rows(me, answer(contribution=digest)) == 30
    leaving = case.leaving("a/lab")
    assert leaving.facts["reconstruction"] == leaving.audit.reconstruction
    assert leaving.refusal == ""


def test_to_try_again_changes_neither_what_leaves_nor_what_the_audit_says(case):
    first, again = case.leaving("a/lab"), case.leaving("a/lab")
    one, other = (leaving.letters[0].message for leaving in (first, again))
    assert one.representation.tobytes() == other.representation.tobytes()
    assert first.audit.to_json() == again.audit.to_json()


def test_what_an_audit_rebuilds_beyond_the_limit_may_not_leave(new_case):
    case = new_case(max_reconstruction=0.01)
    assert "Change what the study sends" in case.leaving("a/lab").refusal


def test_every_column_that_leaves_is_shown_and_no_noise_is_said(case):
    shown = dict(case.leaving("a/life").shown)
    assert shown["made from the columns"] == "steps, sleep, smokes"
    assert shown["rows, by coordinates"] == "30 rows x 2 dimensions, of 4 columns"
    assert shown["noise"].startswith("none")


def test_a_missing_party_stops_the_study_unless_it_may_go_on(new_case):
    case = new_case().contribute()
    with pytest.raises(StudyError, match=r"no contribution of \['b/life'\] has come"):
        solve(case, ["a/lab", "a/life", "b/lab"])
    lenient = new_case(grid={"missing_party": "go on"}).contribute()
    solution = solve(lenient, ["a/lab", "a/life", "b/lab"])
    assert solution.notes == ["going on without ['b/life'], as the study allows"]
    assert [letter.message.recipient for letter in solution.answers] == ["a/lab", "a/life", "b/lab"]


def test_two_contributions_of_one_party_are_refused(solved):
    with pytest.raises(BundleError, match="are both of 'a/lab'"):
        solve(solved, ["a/lab", "a/lab"])


def test_an_answer_names_the_contribution_it_answers(solved):
    letter = solved.letter("a/lab", solved.answer("a/lab"))
    sent = solved.letter("analyst", solved.sent("a/lab")).stated
    assert letter.message.contribution == sent.digest
    me = solved.participant("a/lab")
    answer, notes = take_answer(me, [letter], Answer)
    assert (answer.contribution, notes) == (sent.digest, [])
    assert len(answer.pseudonyms) == len(letter.message.labels)


def test_an_answer_to_nothing_the_party_sent_is_refused(solved):
    letter, me = solved.letter("a/lab", solved.answer("a/lab")), solved.participant("a/lab")
    for changed, reason in (
        ({"contribution": "0" * 64}, "a contribution to this study that is not in your ledger"),
        ({"sender": "b/lab"}, "comes from 'b/lab', not from the analyst"),
    ):
        forged = replace(letter, message=replace(letter.message, **changed))
        with pytest.raises(BundleError, match=reason):
            take_answer(me, [forged], Answer)
    with pytest.raises(StudyError, match="one answer, but 2 files were named"):
        take_answer(me, [letter, letter], Answer)


def test_an_answer_to_an_earlier_contribution_is_noted(case, cli):
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    letter = case.letter("a/lab", case.answer("a/lab"))
    case.contribute("a/lab")
    assert take_answer(case.participant("a/lab"), [letter], Answer)[1] == [], "the same again"
    case.tables["a/lab"] = case.tables["a/lab"].iloc[1:]
    case.save_tables()
    case.contribute("a/lab")
    _, notes = take_answer(case.participant("a/lab"), [letter], Answer)
    assert "of your 3 to this study, not the latest" in notes[0]


def test_new_rows_are_mapped_by_the_reduction_and_the_map_of_the_answer():
    assert map_rows(np.array([[1.0, 3.0]]), answer(**MODEL), SAME).tolist() == [[6.0]]


def test_a_map_that_does_not_fit_the_reduction_is_refused():
    narrow = AffineReduction(np.zeros(2), np.ones((2, 1)))
    with pytest.raises(StudyError, match="holds 1 of the 2 dimensions"):
        map_rows(np.zeros((1, 2)), answer(**MODEL), narrow)
    with pytest.raises(StudyError, match="holds no model"):
        map_rows(np.zeros((1, 2)), answer(), SAME)


def test_a_frontier_is_drawn_where_it_is_asked_for_and_alone_if_so(solved):
    kind, source = by_files(solved.study, "audit"), solved.source("a/lab")
    examined = kind.audit(solved.study, "a/lab", source, frontier=True, alone=True, seed=0)
    assert examined.audit is None
    assert "knee" in examined.exhibit.text
    assert kind.audit(solved.study, "a/lab", source, n_repeats=1, seed=0).exhibit is None


@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"rounding": "auto", "scaling": "spread"},
        {"reducer": "svd", "scaling": "local", "rounding": 0.01},
    ],
)
def test_what_leaves_of_a_table_in_parts_is_the_same_byte_by_byte(case, terms, monkeypatch):
    case.terms["reduction"] = {"rotate": False, **terms}  # a rotation is drawn at random
    case.write()
    whole = case.leaving("a/lab")
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(parts, "LARGE_BYTES", 0)
    in_parts = case.leaving("a/lab")
    assert in_parts.shown == whole.shown
    [one], [other] = whole.letters, in_parts.letters
    assert not other.message.representation.flags.writeable, "it lies in a file"
    manifests = [manifest_of(letter.message, case.study, "") for letter in (one, other)]
    assert manifests[0] == manifests[1]
