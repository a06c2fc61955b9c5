import numpy as np
import pytest

from consilience.collaboration.answers import restore, shorten
from consilience.exceptions import StudyError
from consilience.messages import Answer, Grouping
from consilience.study.study import ANALYST

HEADER = {"study": "s", "sender": ANALYST, "recipient": "a/lab"}


@pytest.mark.parametrize(
    ("n_clusters", "kind"),
    [(0, np.int8), (128, np.int8), (129, np.int16), (2**15, np.int16), (2**15 + 1, np.int32)],
)
def test_labels_take_as_few_bytes_as_they_need(n_clusters, kind):
    labels = np.array([-1, n_clusters - 1])
    codes = np.zeros((2, 16), dtype=np.uint8)
    answer = Answer(**HEADER, labels=labels, n_clusters=n_clusters, pseudonyms=codes)
    short = shorten(answer)
    assert short.labels.dtype == kind
    assert short.labels.tolist() == labels.tolist()
    assert short.pseudonyms is None


def test_what_names_no_rows_travels_as_it_is():
    tree = np.zeros((0, 4))
    grouping = Grouping(**HEADER, groups=np.zeros(1, dtype=np.int64), threshold=0.5, tree=tree)
    assert shorten(grouping).groups.tolist() == [0]


def test_a_party_knows_its_rows_by_the_order_it_kept(solved):
    """Also rows of a table that has changed since: see ``test_label.py``."""
    party = "a/lab"
    answer = solved.letter(party, solved.answer(party)).message
    assert answer.pseudonyms is None
    assert answer.labels.dtype == np.int8
    restored = restore(solved.participant(party), answer)
    sent = solved.letter(ANALYST, solved.sent(party)).message
    np.testing.assert_array_equal(restored.pseudonyms, sent.pseudonyms)
    assert restore(solved.participant(party), restored) is restored


def test_an_answer_to_what_was_never_kept_is_refused(solved):
    answer = solved.letter("a/life", solved.answer("a/life")).message
    with pytest.raises(StudyError, match="is missing"):
        restore(solved.participant("a/lab"), answer)
