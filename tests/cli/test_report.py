"""The command, on a study carried by files: both pages, what they hold and what they do not."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.exceptions import BundleError, StudyError

PARTIES = ["north/lab", "north/home", "south/lab", "south/home"]
CANARY = 4.987654321


def run(folder, *words, ok=True):
    result = CliRunner().invoke(app, [str(word) for word in words])
    if ok:
        assert result.exit_code == 0, (result.output, result.exception)
    return result


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Four parties of two regions contribute; the analyst answers and writes its page."""
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(0)
    for row in ("north", "south"):
        X = rng.normal(size=(60, 8)) + np.repeat([[-3.0], [3.0]], 30, axis=0)
        X[0, 0] = CANARY
        ids = [f"PATIENT-{row}-{k}" for k in range(60)]
        for j, column in enumerate(("lab", "home")):
            names = [f"{column} <b>{k}</b>" for k in range(4)]
            table = pd.DataFrame(X[:, 4 * j : 4 * j + 4], columns=names)
            table.insert(0, "id", ids)
            table.iloc[: 60 - 5 * j].to_csv(folder / f"{row}.{column}.csv", index=False)
    examples = ",".join(f"{c}={folder / f'north.{c}.csv'}" for c in ("lab", "home"))
    run(
        folder,
        *("init", "--rows", "north,south", "--columns", "lab,home", "--from-csv", examples),
        *("--name", "a <script>study</script>", "--clusters", "2", "--out", folder),
    )
    path = folder / "study.toml"
    text = re.sub(r"bounds = \[.*?\]", "bounds = [-9, 9]", path.read_text())
    path.write_text(re.sub(r"(?m)^max_exact_rows = .*$", "", text))
    for role in (*PARTIES, "analyst"):
        run(folder, "keygen", "--name", role, "--study", path)
    for party in PARTIES:
        data = folder / f"{party.replace('/', '.')}.csv"
        options = ("--data", data, "--id", "id", "--out", folder / "inbox", "--yes")
        run(folder, "contribute", path, "--as", party, *options)
    inbox = sorted((folder / "inbox").glob("*.contribution"))
    out = ("--out", folder / "answers", "--report", folder / "analyse.html")
    run(folder, "analyse", path, "--as", "analyst", *inbox, *out)
    return folder


def party_words(study, party="north/lab"):
    name = party.replace("/", ".")
    data = ("--data", study / f"{name}.csv", "--id", "id")
    return (study / "study.toml", "--as", party, *data, study / "answers" / f"{name}.answer")


@pytest.fixture(scope="module")
def pages(study):
    """Both pages by the verb itself."""
    inbox = sorted((study / "inbox").glob("*.contribution"))
    paths = study / "analyst.html", study / "party.html"
    run(study, "report", study / "study.toml", "--as", "analyst", *inbox, "--out", paths[0])
    run(study, "report", *party_words(study), "--out", paths[1])
    return paths


def pictures(html):
    """Return the text of the pictures inside a page."""
    found = re.findall(r"base64,([^\"]+)", html)
    assert found
    return "".join(base64.b64decode(p).decode() for p in found)


def test_both_ways_to_the_analysts_page_give_the_same(study, pages):
    assert pages[0].read_bytes() == (study / "analyse.html").read_bytes()


def test_both_ways_to_the_partys_page_give_the_same(study, pages):
    out = ("--out", study / "labels.csv", "--report", study / "label.html")
    run(study, "label", *party_words(study), *out)
    assert pages[1].read_bytes() == (study / "label.html").read_bytes()
    assert pages[1].stat().st_mode & 0o077 == 0


def test_pages_show_what_was_sent_as_the_ledger_has_it(study, pages):
    ledger = (study / "private" / "north.lab" / "ledger.jsonl").read_text()
    [sent] = [e for e in map(json.loads, ledger.splitlines()) if e["what"] == "contribution"]
    n_bytes = f"{sent['bytes']:,}"
    assert n_bytes in pages[0].read_text(encoding="utf-8")
    assert n_bytes in pages[1].read_text(encoding="utf-8")


def test_counts_of_unmatched_rows_are_on_both_pages(pages):
    assert "5 of north/lab, 0 of north/home" in pages[0].read_text(encoding="utf-8")
    assert "5 rows you contributed have no cluster" in pages[1].read_text(encoding="utf-8")


def test_no_secret_id_pseudonym_or_raw_value_is_on_a_page(study, pages):
    keys = [p.read_text().split("\n")[1] for p in (study / "private").rglob("*.key")]
    identity = (study / "private" / "analyst" / "identity.toml").read_text()
    secrets = [*keys, *re.findall(r'= "([^"]{20,})"', identity)]
    assert len(secrets) >= 9
    for path in pages:
        html = path.read_text(encoding="utf-8")
        text = html + pictures(html)
        assert not [s for s in secrets if s in text]
        assert "PATIENT" not in text
        assert "<script" not in text
    analyst = pages[0].read_text(encoding="utf-8")
    values = pd.concat([pd.read_csv(p).iloc[:, 1:] for p in study.glob("*.csv") if "." in p.stem])
    raw = {repr(float(v)) for v in values.to_numpy().ravel() if v == v}
    assert not [v for v in raw if v[:7] in analyst]
    # Pictures are full of coordinates with six decimals, which may well begin like some value.
    assert not [v for v in raw if v[:10] in pictures(analyst)]
    assert "lab &lt;b&gt;0" not in analyst


def test_pages_open_in_a_browser_without_a_request(browser, pages):
    for path in pages:
        browser.open(path)
        assert browser.evaluate("document.title").startswith("a <script>study</script> – Report")
        sizes = browser.evaluate("[...document.images].map(i => i.naturalWidth * i.clientHeight)")
        assert len(sizes) >= 2
        assert min(sizes) > 0
        outside = [u for u in browser.requests() if not u.startswith(("data:", path.as_uri()))]
        assert not outside
        assert not browser.complaints()


def test_what_is_missing_or_too_much_is_refused_and_nothing_written(study):
    terms, out = study / "study.toml", study / "none.html"
    answer = study / "answers" / "north.lab.answer"
    data = study / "north.lab.csv"
    party = ("report", terms, "--as", "north/lab", "--out", out)
    cases = [
        ((*party, answer), StudyError, "--data and --id"),
        ((*party, answer, answer, "--data", data, "--id", "id"), StudyError, "one answer"),
        (("report", terms, "--as", "analyst", answer, "--data", data), StudyError, "no table"),
        (
            (*party, study / "answers" / "south.lab.answer", "--data", data, "--id", "id"),
            BundleError,
            "cannot be opened",
        ),
        (("report", *party_words(study), "--out", data), StudyError, "given to read"),
    ]
    before = data.read_bytes()
    for words, kind, said in cases:
        result = run(study, *words, ok=False)
        assert isinstance(result.exception, kind), result.output
        assert said in str(result.exception)
    assert not out.exists()
    assert data.read_bytes() == before


def test_pages_of_classes_show_the_model_a_party_can_read_and_the_one_it_was_sent(
    cli, of_kind, answered, command
):
    case = of_kind("classes", columns=("lab",))
    case.terms["learning"] |= {"answer": "model", "explain": "column", "estimator": "forest"}
    for party in case.parties:
        table = pd.read_csv(case.data(party), keep_default_na=False)
        odd = (table["age"].rank() // 4 + table["pressure (mmHg)"].rank() // 8) % 2
        table["ill"] = np.where(odd == 0, "no", "yes")
        table.to_csv(case.data(party), index=False)
    answered(case.write(), "--report", case.folder / "analyst.html")
    assert "right on rows held out" in (case.folder / "analyst.html").read_text()
    page = case.folder / "a.html"
    leaves = {}
    for splits in (1, 7):
        words = command(case, "report", "a/lab", "--splits", splits, file=case.answer("a/lab"))
        result = cli(*words, "--out", page)
        assert result.code == 0, result.err
        leaves[splits] = page.read_text().count("|--- class:")
    text = page.read_text()
    assert "A model you can read" in text
    assert "in the features of a/lab alone" in text
    assert "right on your own rows of known class" in text
    assert "Your answer carries the analyst&#39;s model" in text
    # A forest has the classes of its rows by heart: one split does not tell them apart.
    assert leaves[1] == 2
    assert 6 < leaves[7] <= 8
    assert "A-0017" not in text
