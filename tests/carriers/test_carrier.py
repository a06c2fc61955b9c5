"""What every carrier keeps, whatever happens at its shelf."""

import contextlib
import random
import threading

import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.parcel import PIECE_BYTES, SLIP
from consilience.exceptions import CarrierError

PARTY, ANALYST = "a/lab", "analyst"
LARGE = random.Random(3).randbytes(2 * PIECE_BYTES + 12345)
FILES = [b"", b"x", LARGE[:PIECE_BYTES], LARGE]


class Cut(Exception):
    """The moment at which a process dies."""


class Unreliable:
    """A shelf at which a process dies in the middle of some write or read, or everything twice.

    Parameters
    ----------
    shelf : Shelf
    rng : Random
    chance : float
        That a write leaves a part and its writer dies, or a reader dies before it has its piece.
    """

    def __init__(self, shelf, rng, chance):
        self.shelf, self.rng, self.chance = shelf, rng, chance
        self.writes, self.reads = [], []

    def write(self, path, data):
        if self.rng.random() < self.chance:
            # A letter box does not even take a slip that is cut off.
            with contextlib.suppress(CarrierError):
                self.shelf.write(path, data[: self.rng.randrange(len(data) + 1)])
            raise Cut
        for _ in range(self.rng.choice([1, 2])):
            self.shelf.write(path, data)
        self.writes.append(path)

    def read(self, path):
        if self.rng.random() < self.chance:
            raise Cut
        self.reads.append(path)
        return self.shelf.read(path)

    def find(self):
        found = list(self.shelf.find().items())
        self.rng.shuffle(found)
        return dict(found)

    def rest(self, seconds):
        self.shelf.rest(seconds)


def put(carrier, path, sender=PARTY, recipient=ANALYST, **more):
    return carrier.put(path, sender=sender, recipient=recipient, **more)


@pytest.mark.parametrize("data", FILES, ids=len)
def test_what_was_put_arrives(shelf, sealed, tmp_path, data):
    carrier = Carrier(shelf)
    assert carrier.list(ANALYST) == []
    parcel = put(carrier, sealed("a.lab.contribution", data))
    assert Carrier(shelf).list(ANALYST) == [parcel]
    assert (parcel.name, parcel.n_bytes, parcel.number) == ("a.lab.contribution", len(data), 1)
    Carrier(shelf).get(parcel, tmp_path / "in" / "arrived")
    assert (tmp_path / "in" / "arrived").read_bytes() == data
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["arrived"]


def test_only_the_recipient_finds_it(shelf, sealed):
    carrier = Carrier(shelf)
    put(carrier, sealed("key", b"1"), recipient="b/lab")
    assert carrier.list(ANALYST) == []
    assert [p.sender for p in carrier.list("b/lab")] == [PARTY]
    assert carrier.list("b/lab", sender="c/lab") == []


def test_the_same_file_twice_is_put_once_and_another_follows(shelf, sealed):
    carrier = Carrier(shelf)
    one, other = sealed("one", b"first"), sealed("other", b"second")
    first = put(carrier, one, name="letter")
    assert put(Carrier(shelf), one, name="letter") == first
    second = put(carrier, other, name="letter")
    again = put(carrier, one, name="letter")
    assert carrier.list(ANALYST) == [first, second, again]
    assert [p.number for p in carrier.list(ANALYST)] == [1, 2, 3]


def test_two_who_write_different_files_under_one_name_do_not_overtake_each_other(shelf, sealed):
    one, other = sealed("one", b"first"), sealed("other", b"second")
    put(Carrier(shelf), one, name="letter", once=True)
    put(Carrier(shelf), other, name="letter", once=True)
    there = Carrier(shelf).list(ANALYST)
    assert put(Carrier(shelf), one, name="letter", once=True) == there[0]
    assert put(Carrier(shelf), other, name="letter", once=True) == there[1]
    assert Carrier(shelf).list(ANALYST) == there


@pytest.mark.parametrize("seed", range(3))
def test_whoever_dies_goes_on_and_nothing_is_half_read(shelf, sealed, tmp_path, seed):
    rng = random.Random(seed)
    source, target = sealed("a.contribution", LARGE), tmp_path / "arrived"
    writing, reading = Unreliable(shelf, rng, 0.4), Unreliable(shelf, rng, 0.4)
    for _ in range(200):
        for listed in Carrier(shelf).list(ANALYST):
            assert listed.n_bytes == len(LARGE)
        try:
            parcel = put(Carrier(writing), source)
            break
        except Cut:
            continue
    assert Carrier(shelf).list(ANALYST) == [parcel]
    for _ in range(200):
        try:
            Carrier(reading).get(parcel, target)
            break
        except Cut:
            assert not target.exists()
    assert target.read_bytes() == LARGE
    # A reader that dies reads no piece twice that it had.
    assert len(reading.reads) == len(set(reading.reads))


def test_going_on_writes_at_most_one_piece_again(shelf, sealed):
    source = sealed("a.contribution", LARGE)
    first = Unreliable(shelf, random.Random(0), 0)
    real, left = first.write, iter([True, True])

    def twice(path, data):
        if next(left, None) is None:
            raise Cut
        real(path, data)

    first.write = twice
    with pytest.raises(Cut):
        put(Carrier(first), source)
    second = Unreliable(shelf, random.Random(0), 0)
    parcel = put(Carrier(second), source)
    again = [path for path in second.writes if path in first.writes]
    assert len(again) == 1
    assert [p.rpartition("/")[2] for p in second.writes] == ["00001", "00002", SLIP]
    assert Carrier(shelf).list(ANALYST) == [parcel]


def test_two_writers_of_one_name_are_both_kept_whole(open_shelf, sealed, tmp_path):
    contents = {f"w{k}": bytes([k]) * (PIECE_BYTES + k) for k in range(4)}
    shelves = {name: open_shelf("folder") for name in contents}
    threads = [
        threading.Thread(
            target=lambda name=name, data=data: put(
                Carrier(shelves[name]), sealed(name, data), name="a.contribution"
            )
        )
        for name, data in contents.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    carrier = Carrier(open_shelf("folder"))
    arrived = []
    for parcel in carrier.list(ANALYST):
        carrier.get(parcel, tmp_path / "arrived")
        arrived.append((tmp_path / "arrived").read_bytes())
    assert sorted(arrived) == sorted(contents.values())


def test_what_was_changed_on_the_shelf_is_refused(open_place, sealed, tmp_path):
    shelf = open_place
    carrier = Carrier(shelf)
    parcel = put(carrier, sealed("a.contribution", LARGE))
    piece = f"{parcel.folder}/00001"
    shelf.write(piece, bytes(PIECE_BYTES))
    with pytest.raises(CarrierError, match="arrived damaged"):
        carrier.get(parcel, tmp_path / "arrived")
    shelf.write(piece, LARGE[PIECE_BYTES : 2 * PIECE_BYTES - 1])
    with pytest.raises(CarrierError, match="arrived damaged"):
        carrier.get(parcel, tmp_path / "arrived")
    assert not (tmp_path / "arrived").exists()
    # The sender sees by its size that a piece is not whole, and puts it again.
    put(Carrier(shelf), tmp_path / "a.contribution")
    carrier.get(parcel, tmp_path / "arrived")
    assert (tmp_path / "arrived").read_bytes() == LARGE


def test_a_slip_in_the_place_of_another_is_nothing(open_place, sealed):
    shelf = open_place
    carrier = Carrier(shelf)
    parcel = put(carrier, sealed("a.contribution", b"mine"))
    forged = parcel.folder.replace("a.lab", "b.lab")
    shelf.write(f"{forged}/{SLIP}", parcel.slip)
    shelf.write(f"{forged}/00000", b"mine")
    assert Carrier(shelf).list(ANALYST) == [parcel]


def test_waiting_ends(shelf):
    Carrier(shelf).wait(0.01)
