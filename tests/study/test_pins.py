import stat

import pytest

from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.pins import check_pinned, pin
from consilience.study.study import ANALYST


def test_what_was_pinned_is_the_same_the_next_time(case, tmp_path):
    check_pinned(tmp_path, case.study)
    pin(tmp_path, case.study)
    check_pinned(tmp_path, case.study)
    assert stat.S_IMODE((tmp_path / "pinned.json").stat().st_mode) == 0o600


def test_a_changed_term_is_shown_in_words(case, tmp_path):
    pin(tmp_path, case.study)
    case.terms["clustering"]["n_clusters"] = 5
    with pytest.raises(StudyError, match=r"clustering\.n_clusters is 5 here and 3 there") as error:
        check_pinned(tmp_path, case.study)
    assert case.study.fingerprint in str(error.value)
    pin(tmp_path, case.study)
    check_pinned(tmp_path, case.study)


def test_other_keys_of_the_analyst_are_named(case, tmp_path):
    pin(tmp_path, case.study)
    case.terms["keys"][ANALYST] = Identity.new(ANALYST).public.model_dump()
    with pytest.raises(StudyError, match="the analyst has other keys here than there"):
        check_pinned(tmp_path, case.study)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"a": {"terms": 3}}', b'{"a": 3}', b"\xff"])
def test_a_damaged_pin_is_refused_and_not_replaced(case, tmp_path, data):
    (tmp_path / "pinned.json").write_bytes(data)
    for act in (check_pinned, pin):
        with pytest.raises(StudyError, match="is damaged"):
            act(tmp_path, case.study)
    assert (tmp_path / "pinned.json").read_bytes() == data


def test_two_studies_in_one_private_folder_are_each_accepted_once(case, tmp_path):
    first = case.study
    pin(tmp_path, first)
    case.terms["name"] = "another"
    with pytest.raises(StudyError, match='name is "another" here and "a small study" there'):
        check_pinned(tmp_path, case.study)
    pin(tmp_path, case.study)
    for study in (first, case.study):
        check_pinned(tmp_path, study)
