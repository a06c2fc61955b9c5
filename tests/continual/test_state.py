import json
import stat

import numpy as np
import pytest
from safetensors.numpy import save_file

from consilience.continual.state import load_state, save_state
from consilience.exceptions import StudyError

STATE = {"list": [1, 2.5, {"x/y": np.arange(4.0).reshape(2, 2)}], "none": None, "text": "x"}


def test_state_survives_the_trip(tmp_path):
    save_state(tmp_path / "s", "party", STATE, study="abc")
    again = load_state(tmp_path / "s", "party", study="abc")
    np.testing.assert_equal(again, STATE)


def test_state_of_another_study_is_refused(tmp_path):
    save_state(tmp_path / "s", "party", STATE, study="abc")
    with pytest.raises(StudyError, match="belongs to study 'abc', this one is 'xyz'"):
        load_state(tmp_path / "s", "party", study="xyz")


def test_state_of_another_kind_is_refused(tmp_path):
    save_state(tmp_path / "s", "party", STATE)
    with pytest.raises(StudyError, match="state of a party, not of a analyst"):
        load_state(tmp_path / "s", "analyst")


def test_state_of_another_version_is_refused(tmp_path):
    header = {"version": 99, "kind": "party", "study": "", "facts": {}}
    save_file({}, tmp_path / "s", metadata={"consilience": json.dumps(header)})
    with pytest.raises(StudyError, match="state format 99"):
        load_state(tmp_path / "s", "party")


@pytest.mark.parametrize("content", [b"", b"not a state", b"\x80\x04N."])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(StudyError, match="not a state file"):
        load_state(tmp_path / "s", "party")


def test_safetensors_file_of_someone_else_is_refused(tmp_path):
    save_file({"x": np.zeros(1)}, tmp_path / "s")
    with pytest.raises(StudyError, match="no Consilience state"):
        load_state(tmp_path / "s", "party")


def test_failed_write_leaves_the_old_file_whole(tmp_path):
    save_state(tmp_path / "s", "party", STATE)
    before = (tmp_path / "s").read_bytes()
    with pytest.raises(TypeError):
        save_state(tmp_path / "s", "party", {"bad": object()})
    assert (tmp_path / "s").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


def test_history_of_a_long_stream_is_read(tmp_path):
    long = {"rounds": [{"names": list(range(2000))} for _ in range(1000)]}
    save_state(tmp_path / "s", "party", long)
    assert load_state(tmp_path / "s", "party") == long
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
