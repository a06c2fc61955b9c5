import pandas as pd
import pytest

from benchmarks.adversary import run
from benchmarks.adversary.run import CAMPAIGNS, main, run_campaign, write_page

SHARES = {"carriers": 0.05, "clients": 0.03, "joins": 0.02, "matches": 0.05}
"""Of the campaigns that start the most processes; a tenth of the others."""


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_share_of_each_campaign_finds_nothing(name):
    tried = run_campaign(name, share=SHARES.get(name, 0.1))
    assert tried
    assert all(one.tries > 0 for one in tried)
    assert [one for one in tried if one.failures] == []


@pytest.fixture
def made_up(monkeypatch, tmp_path):
    """A campaign that fails once in seven tries, and a place for its results."""
    code = "yield ('a door', round(70 * share), 1)"
    (tmp_path / "made_up.py").write_text(f"def attempt(share, seed):\n    {code}\n")
    monkeypatch.setattr("benchmarks.adversary.__path__", [str(tmp_path)])
    monkeypatch.setattr(run, "CAMPAIGNS", {"made_up": "Do doors hold?"})
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results.csv")
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    return tmp_path


def test_a_failure_is_told_and_ends_in_an_exit_code(made_up, capsys):
    assert main(["made_up", "--share", "0.1"]) == 1
    assert "7 tries, 1 failures" in capsys.readouterr().out
    assert not (made_up / "results.csv").exists()


def test_a_whole_run_replaces_its_own_rows(made_up):
    others = pd.DataFrame([("made_up", "an older try", 1, 0)])
    others.columns = ["campaign", "what", "tries", "failures"]
    others.to_csv(made_up / "results.csv", index=False)
    main(["made_up"])
    [row] = pd.read_csv(made_up / "results.csv").itertuples(index=False)
    assert (row.tries, row.failures) == (70, 1)
    assert "Do doors hold?" in (made_up / "page.md").read_text()


def test_some_attempts_replace_their_own_rows(made_up):
    others = pd.DataFrame([("made_up", "a door", 1, 0), ("made_up", "a window", 1, 0)])
    others.columns = ["campaign", "what", "tries", "failures"]
    others.to_csv(made_up / "results.csv", index=False)
    run.keep("made_up", [run.Tried("a door", 70, 1)], only="door")
    rows = pd.read_csv(made_up / "results.csv").set_index("what").tries
    assert rows.to_dict() == {"a window": 1, "a door": 70}


def test_only_peers_are_tried_attempt_by_attempt(made_up, capsys):
    with pytest.raises(SystemExit):
        main(["made_up", "--only", "door"])
    assert "--only is for the campaign peers alone" in capsys.readouterr().err


def test_the_page_names_the_question_and_the_sums(made_up):
    results = pd.DataFrame(
        [("made_up", "a door", 70, 1), ("made_up", "a window", 5, 0)],
        columns=["campaign", "what", "tries", "failures"],
    )
    write_page(results, made_up / "page.md")
    text = (made_up / "page.md").read_text()
    assert "75 attempts, 1 of them" in text
    assert "Do doors hold?" in text


def test_an_unknown_campaign_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        main(["sieges"])
    assert "no campaign is called sieges" in capsys.readouterr().err
