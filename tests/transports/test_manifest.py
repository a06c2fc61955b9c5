"""What a hostile manifest may say is tried in ``test_bundle.py``, where it is signed."""

from dataclasses import replace
from pathlib import Path

import pytest

from consilience.exceptions import BundleError
from consilience.transports.manifest import Manifest, Member

MEMBER = Member("labels", 40, "0" * 64, (5,), "int64")
MANIFEST = Manifest("Answer", "s", {}, "analyst", "a/x", "labels", {"n_clusters": 2}, (MEMBER,))


def test_a_manifest_comes_back_as_it_was_written():
    assert Manifest.from_bytes(MANIFEST.to_bytes(), Path("an.answer")) == MANIFEST


def test_digest_is_of_what_is_said_and_not_of_why():
    assert replace(MANIFEST, purpose="again", terms={"name": "x"}).digest == MANIFEST.digest
    changed = [
        replace(MANIFEST, recipient="b/x"),
        replace(MANIFEST, fields={"n_clusters": 3}),
        replace(MANIFEST, members=(replace(MEMBER, sha256="1" * 64),)),
    ]
    assert len({MANIFEST.digest, *(other.digest for other in changed)}) == 4


@pytest.mark.parametrize("change", [{"n_bytes": -1}, {"shape": (2.0,)}, {"name": 3}])
def test_a_member_that_is_none_is_refused(change):
    member = replace(MEMBER, **change)
    assert not member.is_sound
    with pytest.raises(BundleError, match=r"an\.answer is damaged: its manifest cannot be read"):
        Manifest.from_bytes(replace(MANIFEST, members=(member,)).to_bytes(), Path("an.answer"))
