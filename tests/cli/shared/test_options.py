import pytest

from consilience.cli.shared.options import (
    check_output,
    file_name,
    output_file,
    output_folder,
    participant,
    private_folder,
)
from consilience.exceptions import StudyError
from consilience.study.secrets import PrivateFolder

ID = "patient id"


def test_the_usual_private_folder_stands_beside_the_study(tmp_path):
    study = tmp_path / "study.toml"
    assert private_folder(study, "a/lab", None).path == tmp_path / "private" / "a.lab"
    assert private_folder(study, "a/lab", tmp_path / "keys").path == tmp_path / "keys"
    assert file_name("hospital-a/clinical") == "hospital-a.clinical"


def test_a_role_takes_its_place_in_the_study_it_loaded(solved):
    me = participant(solved.path, "a/lab", None)
    assert (me.study.digest, me.place.column, me.home) == (
        solved.study.digest,
        "lab",
        solved.folder,
    )
    assert me.identity.public == solved.identities["a/lab"].public
    with pytest.raises(StudyError, match="'west/lab' is not a party of the study"):
        participant(solved.path, "west/lab", None)


def test_what_was_given_to_read_is_never_written_over(tmp_path):
    table, link = tmp_path / "table.csv", tmp_path / "link.csv"
    table.write_text("id\n")
    link.symlink_to(table)
    for target in (table, link):
        with pytest.raises(StudyError, match=r"--out is .*, which was also given to read"):
            check_output("--out", target, None, table)
    check_output("--out", tmp_path / "new.csv", table)
    with pytest.raises(StudyError, match="also given to read"):
        check_output("--report", tmp_path / "new.csv", table, tmp_path / "new.csv")


def test_nothing_is_written_among_secrets(tmp_path):
    private = PrivateFolder(tmp_path / "private" / "a.lab")
    private.write_key("row", bytes(32))
    (tmp_path / "link").symlink_to(private.path)
    (tmp_path / "labels.csv").symlink_to(private.path / "row.key")
    for target in (
        private.path,
        private.path / "row.key",
        private.path / "new.html",
        tmp_path / "link" / "row.key",
        tmp_path / "labels.csv",
        tmp_path / "private" / "x" / ".." / "a.lab" / "row.key",
    ):
        with pytest.raises(StudyError, match="in a private folder"):
            check_output("--out", target)
    check_output("--out", tmp_path / "other.csv")
    check_output("--out", tmp_path)


def test_no_output_option_of_any_verb_reaches_a_secret_ledger_study_or_input(cli, solved):
    case, private = solved, solved.private("a/lab").path
    before = {p: p.read_bytes() for p in case.folder.rglob("*") if p.is_file()}
    protected = [private / "identity.toml", private / "ledger.jsonl", private / "row.key"]
    table = case.folder / "a.lab.csv"
    own = ("--as", "a/lab", "--data", table, "--id", ID)
    commands = {
        ("label", case.path, case.answer("a/lab"), *own): ("--out", "--report"),
        ("report", case.path, case.answer("a/lab"), *own): ("--out",),
        ("audit", case.path, *own): ("--picture", "--report"),
        ("contribute", case.path, *own, "--yes"): ("--out",),
        tuple(case.analyse_command()): ("--report",),
    }
    for command, options in commands.items():
        for option in options:
            folder = command[0] == "contribute"
            for target in [private] if folder else [*protected, case.path, table]:
                if command[0] == "analyse" and target == table:
                    continue  # the analyst has no table
                result = cli(*command, option, target)
                assert result.code == 2, (command[0], option, target, result.err)
                assert {p: p.read_bytes() for p in case.folder.rglob("*") if p.is_file()} == before
    check_output("--report", None, table)


def test_out_is_a_folder_or_a_file_alike_in_all_verbs(tmp_path):
    (tmp_path / "odd.csv").mkdir()
    assert output_file(tmp_path, "labels.csv") == tmp_path / "labels.csv"
    assert output_file(tmp_path / "new", "labels.csv") == tmp_path / "new" / "labels.csv"
    assert output_file(tmp_path / "mine.parquet", "labels.csv") == tmp_path / "mine.parquet"
    assert output_file(tmp_path / "odd.csv", "labels.csv") == tmp_path / "odd.csv" / "labels.csv"
    assert output_folder(tmp_path / "new") == tmp_path / "new"
    with pytest.raises(StudyError, match="must be a folder"):
        output_folder(tmp_path / "mine.csv")
