import bagit
from rocrate.rocrate import ROCrate

from consilience.evidence.check import check_statement, read_statement, statement_of
from consilience.evidence.crate import export_crate

PARTY = "a/lab"


def test_the_crate_is_read_by_its_own_tools(cli, new_case, tmp_path):
    case = new_case(max_reconstruction=1.0)
    assert cli(*case.contribute_command(PARTY)).code == 0
    bundle = case.sent(PARTY)
    checked = check_statement(read_statement(statement_of(bundle)), case.study, "x")
    export_crate(bundle, case.path, checked, tmp_path / "crate")
    bag = bagit.Bag(str(tmp_path / "crate"))
    bag.validate()
    assert bag.algorithms == ["sha512"]
    crate = ROCrate(tmp_path / "crate" / "data")
    root = crate.root_dataset
    assert root["conformsTo"].id == "https://w3id.org/5s-crate/0.4"
    parts = {part.id for part in root["hasPart"]}
    assert {bundle.name, f"{bundle.name}.statement.json", "study.toml"} <= parts
    assert (tmp_path / "crate" / "data" / bundle.name).read_bytes() == bundle.read_bytes()
    check = crate.get("#disclosure")
    assert check["additionalType"] in (
        "https://w3id.org/shp#DisclosureCheck",
        crate.get("https://w3id.org/shp#DisclosureCheck"),
        {"@id": "https://w3id.org/shp#DisclosureCheck"},
    )
    assert check["actionStatus"] == "http://schema.org/CompletedActionStatus"
    figures = [finding for finding in check["result"] if finding["value"] != "not run"]
    assert figures
    assert all(finding["maxValue"] == 1.0 for finding in figures)
    assert crate.get("#study")["identifier"] == case.study.digest
