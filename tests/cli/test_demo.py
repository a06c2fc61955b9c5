from typer.testing import CliRunner

from consilience.cli.app import app


def test_demo_prints_the_table_and_draws_the_picture(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "together, without pooling" in result.output
    together, pooled = (
        line for line in result.output.splitlines() if "pooled, if" in line or "together," in line
    )
    assert float(together.split("│")[-2]) > 0.95
    assert float(pooled.split("│")[-2]) == 1.0
    assert (tmp_path / "clusters.png").read_bytes().startswith(b"\x89PNG")
