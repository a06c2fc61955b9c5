"""Bundles read as streams; what is refused in memory is refused here, see ``test_bundle.py``."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyrage
import pytest

from consilience.exceptions import BundleError
from consilience.messages import Contribution
from consilience.study.study import ANALYST
from consilience.transports import unsealing
from consilience.transports.bundle import manifest_of, read_bundle, write_bundle
from consilience.transports.manifest import Manifest
from consilience.transports.unsealing import MAGIC, unseal
from samples import assert_same

N_ROWS = 20_000
READ = """
import re, sys
from pathlib import Path
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study
from consilience.transports.bundle import read_bundle
study, private, path, spill = map(Path, sys.argv[1:5])
def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
identity = PrivateFolder(private).read_identity("analyst")
before = peak()
message, _ = read_bundle(path, study=Study.load(study), identity=identity, spill=spill)
print(peak() - before, len(message.representation), message.representation[-1, 0])
"""


@pytest.fixture
def bundle(solved, tmp_path):
    """Write a contribution; its large arrays have more than a megabyte."""

    def bundle(n_rows=N_ROWS, change=None):
        rows = np.arange(n_rows * 8.0).reshape(n_rows, 8)
        message = Contribution(
            study=solved.study.digest,
            sender="a/lab",
            recipient=ANALYST,
            representation=rows,
            anchor=rows[:50] + 0.5,
            anchor_digest="d",
            pseudonyms=rows[:, :2].copy().view(np.uint8),
        )
        path = tmp_path / "a.contribution"
        manifest = manifest_of(message, solved.study, "a test")
        identity = solved.identities["a/lab"]
        write_bundle(path, message, manifest, study=solved.study, identity=identity)
        if change is not None:
            analyst = solved.identities[ANALYST]
            plain = bytearray(pyrage.decrypt(path.read_bytes(), [analyst.sealing]))
            path.write_bytes(pyrage.encrypt(bytes(change(plain)), [analyst.public.recipient]))
        return message, path

    return bundle


@pytest.fixture
def read(solved, tmp_path):
    def read(path, spill=True):
        folder = tmp_path / "spill"
        folder.mkdir(mode=0o700, exist_ok=True)
        identity = solved.identities[ANALYST]
        return read_bundle(
            path, study=solved.study, identity=identity, spill=folder if spill else None
        )

    return read


def test_a_stream_gives_the_message_that_memory_gives(bundle, read, tmp_path):
    message, path = bundle()
    found, manifest = read(path)
    held, same = read(path, spill=False)
    assert_same(found, message)
    assert_same(held, message)
    assert manifest == same
    # The large ones lie in files that have no name, and nobody can write to them.
    assert not found.representation.flags.writeable
    assert found.anchor.flags.writeable
    assert list((tmp_path / "spill").iterdir()) == []


def flipped(place):
    def flip(plain):
        plain[place] ^= 1
        return plain

    return flip


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (flipped(-1), "member 'pseudonyms' has another hash"),
        (flipped(-N_ROWS * 16 - 1000), "has another hash"),
        (flipped(len(MAGIC) + 30), "is signed by no role"),
        (lambda plain: plain[:-1], "member 'pseudonyms' has another hash"),
        (lambda plain: plain[: len(plain) // 2], "member 'representation' has another hash"),
        (lambda plain: plain + b"\0", "does not have the length it states"),
        (lambda plain: plain[:20], "is not a bundle of format 1"),
        (lambda plain: plain[:500], "its manifest is longer than the file"),
    ],
)
def test_damage_is_refused_while_it_streams(bundle, read, tmp_path, change, why):
    _, path = bundle(change=change)
    with pytest.raises(BundleError, match=why):
        read(path)
    assert list((tmp_path / "spill").iterdir()) == []


def test_a_file_cut_short_is_refused_at_its_end(bundle, read):
    _, path = bundle()
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BundleError, match="damaged or cut short"):
        read(path)


def test_nothing_is_kept_of_a_bundle_that_nobody_signed(bundle, solved, tmp_path, monkeypatch):
    _, path = bundle()
    begun = []
    monkeypatch.setattr(unsealing, "_Arriving", lambda *given: begun.append(given))

    def accept(head, signature):
        raise BundleError("no")

    with pytest.raises(BundleError, match="no"):
        unseal(path, solved.identities[ANALYST], accept, tmp_path)
    assert begun == []


def test_accept_gets_what_was_signed(bundle, solved):
    message, path = bundle()
    seen = []

    def accept(head, signature):
        seen.append((head, len(signature)))
        return Manifest.from_bytes(head, path)

    manifest, arrays = unseal(path, solved.identities[ANALYST], accept)
    assert seen == [(manifest.to_bytes(), 64)]
    np.testing.assert_array_equal(arrays["representation"], message.representation)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_no_damaged_bundle(bundle, read, monkeypatch):
    _, path = bundle()
    full = partial(open, "/dev/full", "r+b", buffering=0)
    monkeypatch.setattr(unsealing.tempfile, "TemporaryFile", lambda dir: full())
    with pytest.raises(OSError, match="No space left"):
        read(path)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs its peak memory")
def test_memory_does_not_follow_the_size_of_a_bundle(bundle, solved, tmp_path):
    """80 MB are read within 24 MB beside what reading 8 MB takes, pages of maps included."""
    found = {}
    for n_rows in (100_000, 1_000_000):
        message, path = bundle(n_rows)
        private = solved.private(ANALYST).path
        run = subprocess.run(
            [sys.executable, "-c", READ, solved.path, private, path, tmp_path],
            capture_output=True,
            text=True,
            check=True,
        )
        grown, rows, last = run.stdout.split()
        assert (int(rows), float(last)) == (n_rows, message.representation[-1, 0])
        found[n_rows] = int(grown)
    assert found[1_000_000] - found[100_000] < 24, found
