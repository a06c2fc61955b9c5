import pytest

from consilience.cli.shared.options import check_output, file_name, participant, private_folder
from consilience.exceptions import StudyError


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
    check_output("--report", None, table)
