import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.exceptions import StudyError, TableError

COLUMNS = "\n".join(f'c{k} = {{kind = "numeric", bounds = [-9, 9]}}' for k in range(5))
STUDY = f"""
name = "example"
max_reconstruction = {{limit}}
grid = {{{{rows = ["north", "south"], columns = ["lab"]}}}}
clustering = {{{{n_clusters = 2}}}}
reduction = {{{{n_components = {{{{lab = 4}}}}}}}}
[schema.lab]
{COLUMNS.replace("{", "{{").replace("}", "}}")}
"""


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    X = np.clip(np.repeat([[-3.0], [3.0]], 40, axis=0) + rng.normal(size=(80, 5)), -9, 9)
    X[0, 0] = 4.987654321
    table = pd.DataFrame(X, columns=[f"c{k}" for k in range(5)])
    table.insert(0, "id", [f"p{k}" for k in range(80)])
    table.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "study.toml").write_text(STUDY.format(limit=1.0))
    (tmp_path / "strict.toml").write_text(STUDY.format(limit=0.3))
    return tmp_path


def run(files, *options, study="study.toml", party="north/lab"):
    arguments = ["audit", str(files / study), "--as", party, "--data", str(files / "table.csv")]
    return CliRunner().invoke(app, [*arguments, "--seed", "0", "--repeats", "2", *options])


def test_table_says_who_and_shows_no_value(files):
    result = run(files)
    assert result.exit_code == 0
    assert "The analyst" in result.stdout
    assert "What others could get from north/lab: 80 rows, 5 columns" in result.stdout
    assert "Lower n_components" in result.stdout.replace("\n", " ")
    assert "4.98765" not in result.stdout


def test_json_is_for_machines(files):
    told = json.loads(run(files, "--json").stdout)
    assert told["n_rows"] == 80
    assert {f["attack"] for f in told["findings"]} >= {
        "collusion",
        "known rows",
        "unmixing",
        "order",
    }


def test_limit_of_the_study_is_an_exit_code(files):
    result = run(files, study="strict.toml")
    assert result.exit_code == 1
    assert "max_reconstruction = 0.3" in result.stderr.replace("\n", " ")


def test_frontier_marks_the_knee_and_draws(files):
    result = run(files, "--frontier", "--picture", str(files / "frontier.png"))
    assert result.exit_code == 0
    assert "<- knee" in result.stdout
    assert (files / "frontier.png").exists()


def test_an_audit_never_writes_over_the_table(files):
    before = (files / "table.csv").read_bytes()
    for option in ("--report", "--picture"):
        refused = run(files, "--frontier", option, str(files / "table.csv")).exception
        assert f"{option} is" in str(refused)
        assert "also given to read" in str(refused)
    assert (files / "table.csv").read_bytes() == before


def test_counts_have_no_rows_to_rebuild(files):
    text = STUDY.format(limit=1.0).replace("clustering = {n_clusters = 2}", "")
    terms = "learning = {holder = 'lab', target = 'ill', classes = ['no', 'yes'], threshold = 0.2}"
    text = text.replace("reduction = {n_components = {lab = 4}}", terms)
    (files / "groups.toml").write_text(f"kind = 'groups'\n{text}")
    refused = run(files, study="groups.toml").exception
    assert "there are no rows to rebuild" in str(refused)


def test_stranger_is_refused(files):
    result = run(files, party="west/lab")
    assert isinstance(result.exception, StudyError)
    assert "Its parties are north/lab, south/lab" in str(result.exception)


def test_table_that_does_not_fit_is_refused(files):
    (files / "table.csv").write_text("id,c0\na,1\n")
    assert isinstance(run(files).exception, TableError)


def test_study_of_another_method_is_refused(files):
    (files / "study.toml").write_text('name = "other"\nmethod = "consensus"\n')
    assert isinstance(run(files).exception, StudyError)


@pytest.fixture
def party(files):
    """Two parties with keys, and a study that limits reconstruction."""
    runner = CliRunner()
    table = str(files / "table.csv")
    home = files / "home"
    made = ["init", "--for", "clusters", "--rows", "north,south", "--columns", "lab"]
    assert (
        runner.invoke(
            app, [*made, "--from-csv", f"lab={table}", "--with-keys", "--out", str(home)]
        ).exit_code
        == 0
    )
    study = home / "study.toml"
    text = study.read_text().replace("# max_reconstruction = 0.9", "max_reconstruction = 0.3")
    study.write_text(text)
    for role in ("north/lab", "south/lab", "analyst"):
        done = runner.invoke(app, ["keygen", "--name", role, "--study", str(study)])
        assert done.exit_code == 0, done.output

    def contribute(*options, typed=None):
        arguments = ["contribute", str(study), "--as", "north/lab", "--data", table, "--id", "id"]
        asked = ["--yes"] if typed is None else []
        words = [*arguments, "--out", str(home), *asked, *options]
        return runner.invoke(app, words, input=typed)

    return home, contribute


def test_contribution_over_the_limit_is_not_written(party):
    home, contribute = party
    result = contribute()
    assert isinstance(result.exception, StudyError)
    assert "max_reconstruction = 0.3" in str(result.exception)
    assert "--override NAME" in str(result.exception)
    assert not list(home.glob("*.contribution"))
    assert not (home / "private" / "north.lab" / "ledger.jsonl").exists()


def test_override_by_name_is_written_into_the_ledger(party):
    home, contribute = party
    result = contribute("--override", "J. Doe, data protection officer")
    assert result.exit_code == 0, result.output
    assert list(home.glob("*.contribution"))
    lines = (home / "private" / "north.lab" / "ledger.jsonl").read_text().splitlines()
    noted = {entry["what"]: entry for entry in map(json.loads, lines)}
    override, contribution = noted["override"], noted["contribution"]
    assert override["by"] == "J. Doe, data protection officer"
    assert override["limit"] == 0.3 < override["reconstruction"]
    assert contribution["reconstruction"] == override["reconstruction"]


def test_who_is_asked_may_decide_by_name_or_not_at_all(party):
    home, contribute = party
    for typed in ("", "\n", "  \n"):
        result = contribute(typed=typed)
        assert "nobody decided to send it" in str(result.exception)
    # A name without consent to what leaves is not enough.
    assert "did not agree" in str(contribute(typed="J. Doe\nn\n").exception)
    assert not list(home.glob("*.contribution"))
    assert contribute(typed="J. Doe\ny\n").exit_code == 0
    lines = (home / "private" / "north.lab" / "ledger.jsonl").read_text().splitlines()
    assert [e["by"] for e in map(json.loads, lines) if e["what"] == "override"] == ["J. Doe"]


def test_a_dry_run_over_the_limit_asks_nobody(party):
    _, contribute = party
    result = contribute("--dry-run", typed="J. Doe\ny\n")
    assert "--override NAME" in str(result.exception)


def test_report_holds_audit_and_frontier_and_no_value(files):
    page = files / "audit.html"
    assert run(files, "--frontier", "--report", str(page)).exit_code == 0
    text = page.read_text()
    assert "rebuilt R²" in text
    assert "4.98765" not in text


LEARNING = 'learning = {holder = "lab", target = "ill", classes = ["no", "yes"]'
ANALYST_ALONE = {"unmixing", "unmixing with correlations"}
METHODS = {
    "clustering": ("", ANALYST_ALONE),
    "shared coordinates": ('answer = "representation"', {"known rows, shared coordinates"}),
    "uniform anchor": ('anchor = {kind = "uniform"}', ANALYST_ALONE),
    "rotated anchor": ('anchor = {kind = "rotated"}', ANALYST_ALONE),
    "noise": ("NOISE", {"collusion"}),
    "classes": (f"{LEARNING}}}", {"collusion"}),
    "grouped by classes": (f'{LEARNING}, threshold = "auto"}}', {"collusion"}),
    "readable models": (f'{LEARNING}, explain = "all"}}', {"linkage, exact register"}),
    "smote anchor": (
        f'{LEARNING}}}\nanchor = {{kind = "smote", public = "p", public_sha256 = "{"0" * 64}"}}',
        {"collusion"},
    ),
    "peers": ("consensus = {seed = 7}", {"labels", "labels and ranks"}),
    "stream": ("stream = {epsilon = 5.0}", {"membership", "two windows", "who returned"}),
}


@pytest.fixture
def method(files, request):
    """A study file of some method, and a table with classes where they travel."""
    terms, attacks = METHODS[request.param]
    text = STUDY.format(limit=1.0).replace("max_reconstruction = 1.0", "")
    if terms == "NOISE":
        text, terms = text.replace("{lab = 4}", "{lab = 4}, epsilon = 50.0"), ""
    if "consensus" in terms:
        text = text.replace('"north", "south"', '"north"')
    if "consensus" in terms or "stream" in terms:
        text = text.replace("clustering = {n_clusters = 2}", "")
        text = text.replace("reduction = {n_components = {lab = 4}}", "")
    (files / "study.toml").write_text(f"{terms}\n{text}")
    if "learning" in terms:
        table = pd.read_csv(files / "table.csv")
        table["ill"] = ["no", "yes"] * 40
        table.to_csv(files / "table.csv", index=False)
    return files, attacks, terms


@pytest.mark.parametrize("method", METHODS, indirect=True)
def test_every_method_is_audited_for_what_its_parties_send(method):
    files, attacks, terms = method
    result = run(files, "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    told = json.loads(result.stdout)
    found = {f["attack"]: f for f in told["findings"]}
    assert attacks <= set(found)
    assert all(found[name]["level"] != "not run" for name in attacks)
    said = " ".join(told["advice"])
    assert ("'ill' leaves as it is" in said) == ("learning" in terms)
    if "explain" in terms or "smote" in terms:
        assert "all of which hold every anchor" in found["collusion"]["coalition"]


@pytest.mark.parametrize("method", METHODS, indirect=True)
def test_every_method_says_when_rows_are_too_few_and_exceeds_any_limit(method):
    files, _, terms = method
    pd.read_csv(files / "table.csv").head(12).to_csv(files / "table.csv", index=False)
    if "stream" not in terms:
        text = (files / "study.toml").read_text()
        (files / "study.toml").write_text(f"max_reconstruction = 0.99\n{text}")
    result = run(files, "--json")
    told = json.loads(result.stdout)
    assert {f["level"] for f in told["findings"]} == {"not run"}
    assert all("12 rows" in f["reason"] for f in told["findings"])
    assert "treat it as everything" in told["findings"][0]["reason"]
    if "stream" not in terms:
        assert result.exit_code == 1
        assert "no attack could be run" in " ".join(result.stderr.split())


@pytest.mark.parametrize("extra", ["constant", "copy"])
def test_padding_a_table_does_not_buy_a_greener_audit(files, extra):
    table = pd.read_csv(files / "table.csv")
    plain = json.loads(run(files, "--json").stdout)
    padding = [f"pad{k}" for k in range(6)]
    for k, name in enumerate(padding):
        table[name] = 1.0 if extra == "constant" else table["c0"] * (1 + k)
    table.to_csv(files / "table.csv", index=False)
    more = "".join(f'{name} = {{kind = "numeric", bounds = [-99, 99]}}\n' for name in padding)
    text = (files / "study.toml").read_text() + more
    (files / "study.toml").write_text(text)
    padded = json.loads(run(files, "--json").stdout)
    assert padded["reconstruction"] > plain["reconstruction"] - 0.05
    worst = next(f for f in padded["findings"] if f["attack"] == padded["worst"])
    assert worst["level"] == "red"
    assert set(padding) <= set(worst["excluded"])


def test_missing_key_stops_a_contribution_and_not_an_audit(party, files):
    home, contribute = party
    (home / "private" / "north.lab" / "column.key").unlink()
    refused = contribute().exception
    assert isinstance(refused, StudyError)
    assert "column.key" in str(refused)
    text = (home / "study.toml").read_text().replace("max_reconstruction = 0.3", "")
    (files / "study.toml").write_text(text)
    assert run(files, "--json").exit_code == 0


def test_study_of_peers_is_audited_for_what_peers_send(files):
    text = (files / "study.toml").read_text().replace('"north", "south"', '"north"')
    (files / "study.toml").write_text(f"{text}[consensus]\nseed = 7\n")
    told = json.loads(run(files, "--json").stdout)
    assert [f["attack"] for f in told["findings"]] == ["labels", "labels and ranks"]
    refused = run(files, "--frontier").exception
    assert "no frontier" in str(refused)


def test_stream_is_audited_for_who_took_part(files):
    text = STUDY.format(limit=1.0).replace("max_reconstruction = 1.0", "stream = {}")
    (files / "stream.toml").write_text(text)
    result = run(files, study="stream.toml")
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    assert "Advantage 0 says nothing" in shown
    assert "Set stream.epsilon" in shown
    assert json.loads(run(files, "--json", study="stream.toml").stdout)["terms"]["epsilon"] is None


def test_stream_has_no_frontier_and_no_limit_of_reconstruction(files):
    (files / "stream.toml").write_text("stream = {}" + STUDY.format(limit=0.5))
    result = run(files, "--frontier", study="stream.toml")
    assert isinstance(result.exception, StudyError)
    assert "no frontier" in str(result.exception)
    result = run(files, study="stream.toml")
    assert result.exit_code == 1
    assert "Leave it out of a continual study" in " ".join(result.stderr.split())
