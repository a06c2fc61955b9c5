"""What the page of a study says of each kind, without asking which it is."""

import pytest

from consilience.cli.shared.notices import notice_of
from consilience.study.method import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_terms_in_words_and_a_step_for_every_state(of_kind, kind):
    study = of_kind(kind).study
    notice = notice_of(study)
    assert "What was agreed" in notice.about
    assert study.digest in notice.about
    assert all(keys.fingerprint in notice.about for keys in study.keys.values())
    names = {role.name for role in notice.roles}
    assert names - {"analyst"} == set(study.grid.parties)
    for role in notice.roles:
        assert role.steps.keys() == {"absent", "turn", "waiting", "done"}
        assert set(role.waits_for) <= names
        assert f"--as {role.name}" in role.steps["absent"]


def test_peers_have_nobody_in_the_middle(of_kind):
    assert not any(role.answers for role in notice_of(of_kind("peers").study).roles)


def test_sizes_are_shown_only_where_the_study_says_so(new_case):
    case = new_case()
    assert not notice_of(case.study).show_sizes
    case.terms["letter_box"] = {"show_sizes": True, "certificate": "0a" * 32}
    notice = notice_of(case.study)
    assert notice.show_sizes
    assert "how large each letter is" in notice.about
    assert "0a" * 32 in notice.about


def test_names_are_escaped(new_case):
    case = new_case()
    case.terms["schema"]["lab"]["<img src=x>"] = {"kind": "numeric", "bounds": [0, 1]}
    about = notice_of(case.study).about
    assert "<img" not in about
