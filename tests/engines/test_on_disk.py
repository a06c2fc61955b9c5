import os
import shutil
import stat
import subprocess

import numpy as np
import pytest

from consilience.engines.on_disk import OnDisk
from consilience.exceptions import StudyError


def test_folder_and_files_are_their_owners_alone(tmp_path):
    engine = OnDisk(tmp_path / "spill")
    engine.rows("rows", (2, 2), lambda: [np.zeros((2, 2))])
    engine.labels(3, 3)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in engine.folder.iterdir()}
    assert stat.S_IMODE(engine.folder.stat().st_mode) == 0o700
    assert modes == {0o600}


def test_what_is_finished_is_not_made_again(tmp_path):
    made = []

    def parts():
        made.append(1)
        return [np.ones((2, 2))]

    for inputs in ("these", "these", "others"):
        engine = OnDisk(tmp_path, inputs)
        np.testing.assert_array_equal(engine.rows("rows", (2, 2), parts).whole(), np.ones((2, 2)))
    assert len(made) == 2


@pytest.mark.parametrize("damage", ["cut off", "gone", "no record"])
def test_what_is_not_whole_is_made_again(tmp_path, damage):
    engine = OnDisk(tmp_path)
    engine.keep("x", lambda: [{"x": np.arange(9)}])
    [file], [record] = tmp_path.glob("*.x"), tmp_path.glob("*.json")
    if damage == "cut off":
        os.truncate(file, 8)
    else:
        (file if damage == "gone" else record).unlink()
    assert engine.keep("x", lambda: [{"x": np.arange(5)}])["x"].tolist() == [0, 1, 2, 3, 4]


def test_a_step_that_fails_is_not_recorded(tmp_path):
    def parts():
        yield {"x": np.arange(3)}
        raise OSError("no space left")

    engine = OnDisk(tmp_path)
    with pytest.raises(OSError, match="no space"):
        engine.keep("x", parts)
    assert engine.keep("x", lambda: [{"x": np.arange(2)}])["x"].tolist() == [0, 1]


def test_more_than_the_memory_granted_is_refused_with_the_way_out(tmp_path):
    engine = OnDisk(tmp_path, memory=1_000)
    rows = engine.rows("rows", (100, 2), lambda: [np.zeros((100, 2))])
    with pytest.raises(StudyError, match=r"all 100 rows at once.*--memory.*landmarks"):
        rows.whole()


def test_labels_take_a_byte_a_row(tmp_path):
    assert OnDisk(tmp_path).labels(10, 100).nbytes == 10


@pytest.mark.parametrize(
    "places", [[], [3], [0, 1, 2], [0, 2, 3, 4, 9], list(range(1000)), [997, 999]]
)
def test_rows_that_follow_each_other_are_taken_as_others_are(tmp_path, places):
    X = np.random.default_rng(0).normal(size=(1000, 3))
    rows = OnDisk(tmp_path).rows("rows", X.shape, lambda: [X])
    np.testing.assert_array_equal(rows.take(np.array(places, dtype=np.intp)), X[places])


def test_a_really_full_disk_is_an_error_and_no_end_of_the_process(tmp_path):
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small disk here")
    try:
        engine = OnDisk(tmp_path / "spill")
        with pytest.raises(OSError, match="No space left"):
            engine.labels(1_000_000, 3)
        with pytest.raises(OSError, match="No space left"):
            engine.rows("rows", (10_000, 2), lambda: [np.ones((10_000, 2))])
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
