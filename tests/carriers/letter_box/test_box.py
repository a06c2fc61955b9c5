"""What a box holds."""

import asyncio
import time

import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.letter_box import box as module
from consilience.carriers.letter_box.box import Box, Limits
from consilience.carriers.letter_box.guard import Place, RefusedError
from consilience.carriers.parcel import PIECE_BYTES, SLIP, Parcel

PARCEL = Parcel("a/lab", "analyst", "x", 1, PIECE_BYTES + 1, "0" * 64)


def place(file):
    return Place(*PARCEL.folder.split("/"), file)


def test_what_a_killed_server_left_half_written_is_removed(tmp_path):
    Folder(tmp_path).write("a/b/c/00000", b"whole")
    (tmp_path / "a" / "b" / "c" / ".00001.abc").write_bytes(b"half")
    Box(tmp_path).clear_up()
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["00000"]


def test_a_slip_needs_its_pieces(tmp_path):
    box = Box(tmp_path)
    for pieces in ({}, {"00000": PIECE_BYTES}, {"00000": PIECE_BYTES, "00001": 2}):
        for piece, size in pieces.items():
            box.note(place(piece), size)
        with pytest.raises(RefusedError):
            box.check_slip(place(SLIP), PARCEL.slip)
    box.note(place("00001"), 1)
    box.check_slip(place(SLIP), PARCEL.slip)
    with pytest.raises(RefusedError):
        box.check_slip(place(SLIP), PARCEL.slip[:-1])


@pytest.mark.parametrize(
    ("limits", "length", "status"),
    [
        (Limits(n_bytes=10), 11, 507),
        (Limits(n_files=1), 1, 507),
        (Limits(), PIECE_BYTES + 1, 413),
    ],
)
def test_too_much_is_refused(tmp_path, limits, length, status):
    box = Box(tmp_path, limits)
    Folder(tmp_path).write(f"{PARCEL.folder}/00000", b"")
    with pytest.raises(RefusedError) as refused:
        asyncio.run(box.check_room(place("00001"), length))
    assert refused.value.status == status
    other = Place("b.lab", "analyst", "c", "00000")
    assert asyncio.run(box.check_room(other, 1)) is False


def test_who_waits_is_woken_by_a_parcel_and_by_nothing_less(tmp_path):
    async def play():
        box = Box(tmp_path)
        waiting = asyncio.create_task(box.wait(0, 60))
        await asyncio.sleep(0)
        box.note(place("00000"), PIECE_BYTES)
        await asyncio.sleep(0.01)
        assert not waiting.done()
        box.note(place(SLIP), 100)
        return await asyncio.wait_for(waiting, 10)

    assert asyncio.run(play()) == 1


def test_waiting_ends(tmp_path):
    begun = time.monotonic()
    assert asyncio.run(Box(tmp_path).wait(0, 0.05)) == 0
    assert time.monotonic() - begun < 30


def test_what_is_put_into_the_folder_directly_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK_AGAIN", 0.0)
    (tmp_path / "letter").write_bytes(b"sealed")

    async def play():
        box = Box(tmp_path / "box")
        box.root.mkdir()
        assert await box.sizes() == {}
        Carrier(Folder(box.root)).put(tmp_path / "letter", sender="analyst", recipient="a/lab")
        return len(await box.sizes()), box.n_changes

    assert asyncio.run(play()) == (2, 1)
