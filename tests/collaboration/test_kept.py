"""What left before: one reduction for one study, and what other studies let leave."""

from dataclasses import replace

import numpy as np
import pytest

from consilience.collaboration.kept import find_kept, other_reductions, read_kept
from consilience.exceptions import StudyError


def linear_attack(case):
    found = {f.attack: f for f in case.leaving("a/life").audit.findings}
    return found["collusion"].median_r2.mean


def sent(case, party="a/lab"):
    return case.letter("analyst", case.sent(party)).message


def test_a_second_contribution_uses_the_reduction_of_the_first(case):
    case.contribute("a/lab")
    first = sent(case)
    case.tables["a/lab"] = case.tables["a/lab"].iloc[4:]
    case.save_tables()
    leaving = case.leaving("a/lab")
    assert "the one of your earlier contribution" in dict(leaving.shown)["reduction"]
    assert not any("side by side" in note for note in leaving.notes)
    case.contribute("a/lab")
    second = sent(case)
    assert np.array_equal(first.anchor, second.anchor)
    rows = {code.tobytes(): row for code, row in zip(first.pseudonyms, first.rows, strict=True)}
    for code, row in zip(second.pseudonyms, second.rows, strict=True):
        assert np.array_equal(rows[code.tobytes()], row)


def test_terms_of_the_analyst_and_new_public_keys_leave_what_is_sent_as_it_is(new_case):
    case = new_case(keys_per_study=True).contribute("a/lab")
    first, digest = sent(case), case.study.digest
    case.terms["clustering"] = {"n_clusters": 3}
    case.write()
    assert case.study.digest != digest
    case.contribute("a/lab")
    assert np.array_equal(first.representation, sent(case).representation)
    assert np.array_equal(first.pseudonyms, sent(case).pseudonyms)


def test_another_study_has_other_anchors_and_pseudonyms_and_is_audited_with_the_first(new_case):
    case = new_case(keys_per_study=True).contribute("a/lab")
    first = sent(case)
    case.terms["name"] = "another"
    case.write()
    leaving = case.leaving("a/lab")
    (letter,) = leaving.letters
    assert letter.message.anchor_digest != first.anchor_digest
    codes = {code.tobytes() for code in first.pseudonyms}
    assert not any(code.tobytes() in codes for code in letter.message.pseudonyms)
    assert any("by 1 other reduction, for other studies or terms" in n for n in leaving.notes)


def test_without_the_term_keys_mean_the_same_in_every_study(new_case):
    case = new_case().contribute("a/lab")
    first = sent(case)
    case.terms["name"] = "another"
    case.write()
    (letter,) = case.leaving("a/lab").letters
    assert np.array_equal(letter.message.pseudonyms, first.pseudonyms)
    assert letter.message.anchor_digest == first.anchor_digest


def test_two_reductions_side_by_side_rebuild_more_than_one(new_case):
    case = new_case(reduction={"reducer": "random"})
    # A reduction is drawn by chance: one of fifty let .974 of a column be rebuilt, most nothing.
    assert linear_attack(case) < 0.999
    case.contribute("a/life")
    assert linear_attack(case) < 0.999, "by the same reduction"
    case.terms["name"] = "another"
    case.write()
    assert linear_attack(case) > 0.9999


def test_what_is_kept_is_told_by_its_columns(case):
    case.contribute("a/lab")
    me = case.participant("a/lab")
    (kept,) = read_kept(me)
    assert find_kept(me, [kept]) is kept
    assert kept.features == tuple(case.study.schema_of("lab").feature_names)
    turned = replace(kept.reduction, components=kept.reduction.components[:, ::-1])
    other = replace(kept, reduction=turned, study="", sending="")
    assert find_kept(me, [other]) is None
    assert other_reductions(me, [kept, other, other], kept.reduction) == [other]
    assert other_reductions(me, [replace(other, features=("x",))], kept.reduction) == []
    before = replace(other, features=())
    assert other_reductions(me, [before], kept.reduction) == [before]


def test_a_damaged_reduction_is_not_passed_over(case):
    case.contribute("a/lab")
    (path,) = case.private("a/lab").path.glob("reduction*.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StudyError, match="two contributions could be put side by side"):
        case.leaving("a/lab")
