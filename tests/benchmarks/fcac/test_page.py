from benchmarks.fcac.page import _verdict
from benchmarks.fcac.ranks import Comparison


def test_page_says_so_when_fcac_is_not_first():
    won = Comparison({"FCAC": 1.0, "MUFC": 2.0}, 0.01, 1.0, 10)
    lost = Comparison({"FCAC": 2.0, "MUFC": 1.0}, 0.01, 1.0, 10)
    text = _verdict({"iid": won, "non-iid": lost})
    assert "iid: The paper has FCAC first. FCAC is number 1 here (1.00), first is FCAC" in text
    assert "FCAC is number 2 here (2.00), first is MUFC (1.00)" in text
