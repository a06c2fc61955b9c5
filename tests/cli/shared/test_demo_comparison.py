import numpy as np
import pandas as pd
from rich.console import Console

from consilience.cli.shared.demo_comparison import compare
from consilience.cli.shared.demo_patients import GROUPS, ID, load_patients, write_tables
from consilience.study.draft import draft_study


def test_labels_that_are_the_classes_score_one_and_rows_without_are_counted(tmp_path):
    patients = load_patients()
    write_tables(patients, tmp_path)
    known = {group: patients.table[patients.columns(group)] for group in GROUPS}
    examples = {g: t.agg(["min", "max"]).rename_axis(ID).reset_index() for g, t in known.items()}
    (tmp_path / "study").mkdir()
    text = draft_study("clusters", "demo", ["north", "south"], examples, ID)
    (tmp_path / "study" / "study.toml").write_text(text)
    for k, region in enumerate(("north", "south")):
        inside = np.flatnonzero(patients.region == k)[2:]
        told = pd.DataFrame({ID: patients.table.index[inside], "cluster": patients.y[inside]})
        told.to_csv(tmp_path / f"{region}.hospital" / "labels.csv", index=False)
    table = compare(patients, tmp_path)
    console = Console(width=100)
    with console.capture() as shown:
        console.print(table)
    lines = {line.split("│")[1].strip(): line for line in shown.get().splitlines() if "│" in line}
    assert lines["together, by files"].split("│")[2:7] == [
        *("  565 ", "      30 ", " 1.000 ", " 1.000 ", " 1.000 "),
    ]
    assert lines["pooled, if allowed"].split("│")[7].strip() == "1.000"
    assert len(lines) == 6
    assert table.caption == "4 patients have no label: one insurer lacks them."
    assert (tmp_path / "clusters.png").read_bytes().startswith(b"\x89PNG")
