import os
import signal

import pytest

from consilience.exceptions import StudyError
from consilience.study.together import JOURNAL, replace_together

NAMES = [f"{k}.answer" for k in range(4)]


def write(folder, text):
    with replace_together(folder) as opened:
        for name in NAMES:
            opened(name).write(text)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.answer")}


def test_all_are_replaced_and_nothing_else_is_left(tmp_path):
    for text in (b"first", b"second"):
        write(tmp_path / "out", text)
        assert contents(tmp_path / "out") == dict.fromkeys(NAMES, text)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == NAMES


def test_one_file_is_open_at_a_time(tmp_path):
    with replace_together(tmp_path) as opened:
        streams = [opened(name) for name in NAMES]
        assert [stream.closed for stream in streams] == [True] * (len(NAMES) - 1) + [False]


def test_a_failure_leaves_what_was_there(tmp_path):
    write(tmp_path, b"first")
    with pytest.raises(TypeError), replace_together(tmp_path) as opened:
        opened(NAMES[0]).write("a text, not bytes")
    assert contents(tmp_path) == dict.fromkeys(NAMES, b"first")
    assert len(list(tmp_path.iterdir())) == len(NAMES)


def die(folder, step, monkeypatch):
    """Replace the files in a process that kills itself at a rename or removal."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    steps = iter(range(100))

    def watched(real):
        def act(*arguments, **options):
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return act

    for name in ("replace", "unlink"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    write(folder, b"second")
    os._exit(0)


@pytest.mark.parametrize("step", range(7))
def test_one_who_dies_between_two_files_is_completed_by_the_next(tmp_path, step, monkeypatch):
    write(tmp_path, b"first")
    assert (die(tmp_path, step, monkeypatch) == 0) == (step == 6)
    with pytest.raises(KeyError), replace_together(tmp_path):
        raise KeyError
    assert len(set(contents(tmp_path).values())) == 1
    assert (contents(tmp_path)[NAMES[0]] == b"second") == (step > 0)
    write(tmp_path, b"third")
    assert contents(tmp_path) == dict.fromkeys(NAMES, b"third")


@pytest.mark.parametrize("journal", [b"", b"[]", b"{}", b'{"names": ["../x"]}', b'{"names": 3}'])
def test_a_damaged_journal_is_refused(tmp_path, journal):
    (tmp_path / JOURNAL).write_bytes(journal)
    with pytest.raises(StudyError, match="is damaged"):
        write(tmp_path, b"first")
    assert not contents(tmp_path)
