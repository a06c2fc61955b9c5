import pytest

from consilience.exceptions import StudyError
from consilience.study.rights import check_private


@pytest.mark.parametrize(
    ("file", "folder", "reason"),
    [
        (0o600, 0o700, None),
        (0o400, 0o755, None),
        (0o644, 0o700, "can be read by others"),
        (0o606, 0o700, "can be read by others"),
        (0o620, 0o700, "can be read by others"),
        (0o600, 0o770, "can be changed by others"),
        (0o600, 0o702, "can be changed by others"),
    ],
)
def test_what_others_can_reach_is_refused(tmp_path, file, folder, reason):
    secret = tmp_path / "private" / "row.key"
    secret.parent.mkdir()
    secret.touch()
    secret.chmod(file)
    secret.parent.chmod(folder)
    if reason is None:
        check_private(secret)
        return
    with pytest.raises(StudyError, match=reason):
        check_private(secret)
