"""The documents tell the truth: examples run, links lead somewhere, nothing public is left out."""

import doctest
import importlib
import os
import re
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import consilience
from consilience.cli.app import app
from consilience.messages import MESSAGES
from test_public_names import public_names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CLI_PAGE = DOCS / "cli.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
UPDATE = "UPDATE_DOCS=1 .venv/bin/python -m pytest tests/test_documents.py"

CODE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|(?:src|href)=\"([^\"]+)\"")
CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)\]_")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def name_of(path):
    return str(path.relative_to(ROOT))


def examples(document):
    """Return the Python blocks with prompts, the rest as blank lines so that line numbers hold."""
    text, kept = document.read_text(encoding="utf-8"), []
    for block in CODE.finditer(text):
        if block[1] == "python" and ">>>" in block[2]:
            n_lines = text.count("\n", 0, block.start(2))
            kept.append("\n" * (n_lines - sum(k.count("\n") for k in kept)) + block[2])
    return "".join(kept)


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if examples(d)], ids=name_of)
def test_examples_run_and_show_what_they_print(document):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(
        examples(document), {}, name_of(document), str(document), 0
    )
    report = []
    failed, tried = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert tried, f"{name_of(document)} has a prompt but no example"
    assert not failed, "".join(report)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_relative_links_and_images_lead_to_files(document):
    prose = CODE.sub("", document.read_text(encoding="utf-8"))
    targets = [a or b for a, b in LINK.findall(prose)]
    local = [t.partition("#")[0] for t in targets if not re.match(r"[a-z]+:", t)]
    broken = [t for t in local if t and not (document.parent / t).exists()]
    assert not broken, f"{name_of(document)} links to {broken}, which do not exist"


def test_every_citation_has_its_reference():
    cited = {
        key
        for folder in ("src", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for key in CITATION.findall(path.read_text(encoding="utf-8"))
    }
    references = (DOCS / "papers.md").read_text(encoding="utf-8")
    missing = sorted(key for key in cited if f"**[{key}]**" not in references)
    assert cited, "no docstring cites a paper: does the pattern still fit?"
    assert not missing, f"docs/papers.md has no reference **[KEY]** for {missing}"


def test_every_public_name_and_command_is_explained_somewhere():
    # The generated page lists commands by itself; a person has to explain them elsewhere.
    pages = [ROOT / "README.md", *(d for d in DOCUMENTS if DOCS in d.parents and d != CLI_PAGE)]
    prose = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    wanted = [*consilience.__all__, *(f"consilience {' '.join(path)}" for path in commands())]
    missing = [name for name in wanted if not re.search(rf"\b{re.escape(name)}\b", prose)]
    assert not missing, f"neither README.md nor a page in docs/ (but cli.md) mentions {missing}"


def test_every_page_stands_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in DOCS.glob("*.md") if f"({page.name})" not in index]
    assert missing == ["README.md"], f"docs/README.md does not list {missing}"


def test_every_page_has_a_place_in_the_table_of_contents():
    pages = [*DOCUMENTS, *(ROOT / "examples").glob("*.ipynb")]
    contents = (DOCS / "toc.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:file|root): (\S+)", contents))
    found = {str(page.relative_to(ROOT).with_suffix("").as_posix()) for page in pages}
    assert not found - named, f"docs/toc.yml has no place for {sorted(found - named)}"
    assert named - found == {"docs/api"}


def test_every_public_name_has_a_page():
    reference = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed = {
        f"consilience.{name}" for name in re.findall(r"^   ([\w.]+)$", reference, re.MULTILINE)
    }
    missing = sorted(set(public_names()) - listed)
    assert not missing, f"docs/api.rst has no page for {missing}"


def test_the_architecture_names_every_message_and_only_files_that_exist():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    unsaid = [kind.__name__ for kind in MESSAGES if f"`{kind.__name__}`" not in page]
    assert not unsaid, f"docs/architecture.md does not say what {unsaid} holds"
    package = ROOT / "src" / "consilience"
    named = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", page)
    gone = [name for name in named if not ((package / name).exists() or (ROOT / name).exists())]
    assert named, "no path in docs/architecture.md: does the pattern still fit?"
    assert not gone, f"docs/architecture.md names {gone}, which do not exist"


WALK = re.compile(r"^ *([a-z_/]+\.py):([A-Za-z_.]+)", re.MULTILINE)


def test_the_walk_of_the_data_names_functions_that_exist():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    steps = WALK.findall(page)
    assert len(steps) > 60, "the walk of the data is gone: does the pattern still fit?"
    for file, function in steps:
        module = importlib.import_module(
            f"consilience.{file.removesuffix('.py').replace('/', '.')}"
        )
        assert attrgetter(function)(module), f"{file} has no {function}"


def commands(command=None, path=()):
    """Yield the words of every command, as typed after ``consilience``, in the order of help."""
    command = typer.main.get_command(app) if command is None else command
    children = getattr(command, "commands", {})
    for name, child in children.items():
        if not child.hidden:
            yield from commands(child, (*path, name))
    if path and not children:
        yield path


def help_text(path=()):
    """Return what ``--help`` prints on a terminal of 100 columns, without colours."""
    plain = {"COLUMNS": "100", "TERM": "xterm", "NO_COLOR": "1", "CONSILIENCE_DATA": None}
    result = CliRunner().invoke(app, [*path, "--help"], prog_name="consilience", env=plain)
    assert result.exit_code == 0, result.output
    lines = COLOUR.sub("", result.output).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def cli_page():
    """Return docs/cli.md: the help of the program and of each command."""
    parts = [
        "# Command line",
        f"<!-- Generated from --help with typer {version('typer')}. Do not edit. After a change of "
        f"a command run:\n{UPDATE} -->",
        f"```text\n{help_text()}\n```",
    ]
    for path in commands():
        parts.append(f"## consilience {' '.join(path)}")
        parts.append(f"```text\n{help_text(path)}\n```")
    return "\n\n".join(parts) + "\n"


def test_cli_page_is_what_help_says():
    if os.environ.get("UPDATE_DOCS"):
        CLI_PAGE.write_text(cli_page(), encoding="utf-8")
    written = CLI_PAGE.read_text(encoding="utf-8") if CLI_PAGE.exists() else ""
    way_out = f"docs/cli.md is not what --help says. To write it anew, run:\n\n    {UPDATE}\n"
    options = re.compile(r"(?<![\w-])--[a-z][\w-]*")
    for path in commands():
        _, heading, rest = written.partition(f"## consilience {' '.join(path)}\n")
        section = rest.partition("\n## ")[0]
        assert heading, way_out
        assert set(options.findall(section)) == set(options.findall(help_text(path))), way_out
    # Another version of typer may draw the same help in another way.
    if f"typer {version('typer')}." in written:
        assert written == cli_page(), way_out


def test_the_readme_says_what_the_results_on_record_say():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert not [said for said in said_by_the_record() if said not in text]


def said_by_the_record():
    """Write the figures of the README anew, from the results."""
    results = ROOT / "benchmarks" / "results"
    attacks, worth, summaries, units = (
        pd.read_csv(results / f"{name}.csv")
        for name in ("attacks", "worth", "summaries", "summary-units")
    )
    kept = attacks[(attacks.table == "Defaults") & (attacks.metric == "ARI with pooled")]
    kept = kept.pivot(index="data", columns="setting", values="ours")
    share = kept["default, scaled by bounds"] / kept["paper mode, scaled by bounds"]
    yield f"agreement on {(share >= 0.95).sum()} of {len(share)} sets, at"
    yield f"at least {100 * share.min():.0f} % on all"
    noisy = attacks[attacks.setting == "1/2, epsilon 100 per row"].groupby("metric").ours
    low, high = noisy.min(), noisy.max()
    yield f"rebuilds R² {low['median R2']:.2f} to {high['median R2']:.2f} and recognises"
    yield f"{100 * low['top-1']:.0f} to {100 * high['top-1']:.0f} % of the rows"
    exact = worth[worth.exact.notna() & worth.attack.str.contains("decod")].groupby("sent").exact
    least, most = 100 * exact.min(), 100 * exact.max()
    yield f"{least['double precision']:.0f} to {most['double precision']:.0f} % of the rows of four"
    yield f"after which at most {most['rounded']:.0f} % were"
    rounded = worth[worth.sent == "rounded"]
    rebuilt = rounded.groupby("data")["typical R2"].max()
    yield f"R² {rebuilt.min():.2f} to {rebuilt.max():.2f}"
    known = rounded[rounded.attack == "linkage by shape"].recognised
    yield f"still recognises {100 * known.min():.0f} to {100 * known.max():.0f} % of the rows"
    reported = summaries[summaries.what == "reporting"]
    means = reported.groupby(["way", "epsilon"], dropna=False).share.mean()
    drafted = units[units.data.isin(reported.data)].groupby("way").share.mean()
    one, four = (means["summaries", epsilon] for epsilon in (1, 4))
    yield f"| summaries, differentially private | {one:.2f} | {four:.2f} |"
    yield f"in drafted units | {drafted['epsilon 1']:.2f} | {drafted['epsilon 4']:.2f} |"
    both = means["means of 10"].item(), drafted["means of 10"]
    yield f"| {both[0]:.2f}, {both[1]:.2f} |"
    yield f"| rows, each with noise | {means['noise on rows', 1]:.2f} |"
