"""The page about groups: who is with whom, the tree, and what was sent."""

import numpy as np

from consilience.collaboration.learning.grouping import merge_tree
from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst
from consilience.collaboration.learning.groups.page import grouping_analyst_page, grouping_page
from consilience.messages import Grouping, LabelCounts
from consilience.report.page import render

LEARNING = {
    "holder": "lab", "target": "ill", "classes": ["no", "yes"], "labels": "distribution",
    "threshold": 0.3, "epsilon": 2.0,
}  # fmt: skip


def _page(case, groups, n_settled, **entry):
    tree = merge_tree(np.eye(3)[:n_settled])
    named = dict(zip("abc", groups, strict=True))
    header = {"study": case.study.digest, "sender": "analyst", "recipient": "a/lab"}
    answer = Grouping(**header, groups=np.array(groups), threshold=0.3, tree=tree)
    ledger = [{"what": "contribution", "study": case.study.digest, "file": "f", **entry}]
    return render(grouping_page(case.study, "a/lab", named, answer, ledger))


def test_partners_tree_and_noise_are_told(new_case):
    case = new_case(rows=("a", "b", "c"), n=(9, 9, 9), columns=("lab",), learning=LEARNING)
    page = _page(case, [0, 0, 1], 3, classes=2, epsilon=2.0)
    assert "data:image/svg+xml" in page
    assert "epsilon 2 per record" in page
    assert "which institutions are grouped with which" in page
    alone = _page(case, [0, 1, 1], 3)
    assert "nobody: learn at home" in alone


def test_a_tree_without_the_newcomers_is_not_drawn_with_wrong_names(new_case):
    case = new_case(rows=("a", "b", "c"), n=(9, 9, 9), columns=("lab",), learning=LEARNING)
    assert "data:image/svg+xml" not in _page(case, [0, 0, 1], 2)


def _analyst_page(case, counts):
    analyst = GroupingAnalyst("abc", holder="lab", n_classes=2, threshold=0.3)
    for row, numbers in zip("abc", counts, strict=True):
        header = {"study": "", "sender": f"{row}/lab", "recipient": "analyst"}
        analyst.receive(LabelCounts(**header, counts=np.array(numbers)))
    return render(grouping_analyst_page(case.study, analyst, []))


def test_the_analyst_is_warned_of_who_is_alone_and_of_mixes_of_few_rows(new_case):
    case = new_case(rows=("a", "b", "c"), n=(9, 9, 9), columns=("lab",), learning=LEARNING)
    page = _analyst_page(case, [[90, 10], [80, 20], [1, 9]])
    assert "Alone in a group, with nobody to learn with: c." in page
    assert "Few rows have a class at c (10)" in page
    assert "Nothing to warn of" not in page
    assert "All institutions are in one group" in _analyst_page(case, [[50, 50]] * 3)


def test_a_grouping_that_is_sound_is_said_to_be(new_case):
    case = new_case(rows=("a", "b", "c"), n=(9, 9, 9), columns=("lab",), learning=LEARNING)
    analyst = GroupingAnalyst("abcd", holder="lab", n_classes=2, threshold=0.3)
    for row, numbers in zip("abcd", [[90, 10], [80, 20], [20, 80], [10, 90]], strict=True):
        header = {"study": "", "sender": f"{row}/lab", "recipient": "analyst"}
        analyst.receive(LabelCounts(**header, counts=np.array(numbers)))
    assert "Nothing to warn of." in render(grouping_analyst_page(case.study, analyst, []))
