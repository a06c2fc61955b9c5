import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import consilience
from consilience.cli import app as application
from consilience.cli.app import VERBS, app, main
from consilience.exceptions import StudyError

COMMANDS = typer.main.get_command(app).commands


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_teaches_with_an_example(name):
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert "Example" in COMMANDS[name].help


def test_refusal_is_one_line_and_exit_code_2(monkeypatch, capsys):
    def refuse():
        raise StudyError("n_clusters == 0, must be >= 1.")

    monkeypatch.setattr(application, "app", refuse)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.strip() == "refused: n_clusters == 0, must be >= 1."


def test_the_overview_shows_the_first_sentence_of_every_verb():
    for name, line in VERBS.items():
        assert " ".join(COMMANDS[name].help.partition("\n\n")[0].split()) == line


def test_the_overview_loads_nothing_that_computes():
    code = (
        "import sys; from consilience.cli.app import app; app(['--help'], standalone_mode=False);"
        "print([m for m in ('numpy', 'pandas', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(consilience.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.splitlines()[-1] == "[]"


def test_an_unknown_verb_is_refused_by_name():
    result = CliRunner().invoke(app, ["pool"])
    assert result.exit_code == 2
    assert "No such command 'pool'" in result.output
