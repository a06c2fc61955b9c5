import pandas as pd

from consilience.cli.shared.demo_patients import GROUPS, ID, load_patients, write_tables


def test_institutions_hold_halves_in_their_own_order_and_spelling(tmp_path):
    patients = load_patients()
    write_tables(patients, tmp_path)
    tables = {path.parent.name: pd.read_csv(path) for path in tmp_path.glob("*/table.csv")}
    assert {name: table.shape for name, table in tables.items()} == {
        "north.hospital": (285, 16),
        "north.insurer": (273, 16),
        "south.hospital": (284, 16),
        "south.insurer": (284, 16),
    }
    columns = [set(patients.columns(group)) for group in GROUPS]
    assert not columns[0] & columns[1]
    assert columns[0] | columns[1] == set(patients.table.columns)
    hospital, insurer = tables["south.hospital"], tables["south.insurer"]
    assert hospital[ID].tolist() != insurer[ID].str.strip().str.upper().tolist()
    assert set(hospital[ID]) == set(insurer[ID].str.strip().str.upper())
    assert not set(hospital[ID]) & set(tables["north.hospital"][ID])
