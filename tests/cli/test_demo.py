from typer.testing import CliRunner

from consilience.cli.app import app


def test_demo_carries_files_and_comes_back_with_the_pooled_clusters(tmp_path):
    out = tmp_path / "demo"
    result = CliRunner().invoke(app, ["demo", "--out", str(out)])
    assert result.exit_code == 0, result.output
    (together,) = (line for line in result.output.splitlines() if "together, by files" in line)
    assert float(together.split("│")[-2]) > 0.9
    assert "12 patients have no label" in result.output
    assert (out / "clusters.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(out.glob("*/report.html"))) == 5
    analyst = {path.name for path in (out / "analyst").rglob("*") if path.is_file()}
    assert not {"column.key", "row.key", "table.csv"} & analyst
    assert len((out / "north.insurer" / "labels.csv").read_text().splitlines()) == 274
