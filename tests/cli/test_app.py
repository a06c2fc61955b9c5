import pytest
import typer
from typer.testing import CliRunner

from consilience.cli import app as application
from consilience.cli.app import app, main
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
