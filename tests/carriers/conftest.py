"""Every shelf there is, each empty for each test."""

import uuid
from pathlib import Path

import pytest

from buckets import run_buckets
from consilience.carriers.folder import Folder
from consilience.carriers.in_process import Memory
from consilience.carriers.store import Store
from letter_boxes import run_letter_box
from openssh import run_openssh, ssh_configured

OPEN = ["memory", "folder", "store", "sftp", "s3"]
"""Shelves on which whoever reaches them can change everything."""

SHELVES = [*OPEN, "letter box"]


@pytest.fixture(scope="session")
def openssh(tmp_path_factory):
    """Run an OpenSSH server; return where its log and keys are, its port and a user's key."""
    folder = tmp_path_factory.mktemp("sshd")
    with run_openssh(folder) as (port, key):
        yield folder, port, key


@pytest.fixture(scope="session")
def s3():
    """Run a server of buckets."""
    with pytest.MonkeyPatch.context() as patch, run_buckets(patch) as client:
        yield client


@pytest.fixture
def open_shelf(request, tmp_path, monkeypatch):
    """Open a shelf of a kind, again and again the same one: ``open_shelf("sftp")``."""
    pytest.importorskip("fsspec")
    memory, here = Memory(), uuid.uuid4().hex

    def opened(kind):
        root = tmp_path / "shelf"
        root.mkdir(exist_ok=True)
        if kind == "memory":
            return memory
        if kind == "folder":
            return Folder(root)
        if kind == "store":
            return Store(f"memory://{here}")
        if kind == "s3":
            request.getfixturevalue("s3")
            return Store(f"s3://study/{here}/inside")
        if kind == "letter box":
            return request.getfixturevalue("letter_box").open("a/lab")
        folder, port, key = request.getfixturevalue("openssh")
        if not (tmp_path / ".ssh").exists():
            monkeypatch.setenv("HOME", str(tmp_path))
            with ssh_configured(folder, port, key, tmp_path):
                pass
        return Store(f"sftp://study{root}")

    return opened


@pytest.fixture
def letter_box(case, tmp_path):
    """Run the letter box of a small study, without TLS."""
    pytest.importorskip("uvicorn")
    with run_letter_box(case, tmp_path / "letters") as box:
        yield box


@pytest.fixture(params=OPEN)
def open_place(request, open_shelf):
    """Return every shelf on which a stranger can write, one after the other."""
    return open_shelf(request.param)


@pytest.fixture(params=SHELVES)
def shelf(request, open_shelf):
    """Return every shelf, one after the other."""
    return open_shelf(request.param)


@pytest.fixture
def sealed(tmp_path):
    """Make a file of some bytes: ``sealed("name", b"...")``."""

    def make(name, data):
        path = Path(tmp_path) / name
        path.write_bytes(data)
        return path

    return make
