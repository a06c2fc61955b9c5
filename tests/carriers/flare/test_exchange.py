"""Files of sites by way of a server: each to those it is for, whatever is lost in between."""

import numpy as np
import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.flare.exchange import MAX_BATCH, Hub, Spoke, check
from consilience.carriers.folder import Folder
from consilience.carriers.in_process import Memory
from consilience.carriers.parcel import EVERYONE, PIECE_BYTES, folder_of
from consilience.exceptions import CarrierError

SITES = {"site-1": ["a/lab", "a/life"], "site-2": ["b/lab"], "office": ["analyst"]}


class Town:
    def __init__(self, tmp_path):
        self.tmp, self.hub = tmp_path, Hub(Memory(), SITES)
        self.spokes = {}
        for site, roles in SITES.items():
            (tmp_path / site).mkdir()
            self.spokes[site] = Spoke(Folder(tmp_path / site), roles)

    def carrier(self, site):
        return Carrier(self.spokes[site].shelf)

    def put(self, site, sender, recipient, data, name="letter"):
        (self.tmp / name).write_bytes(data)
        return self.carrier(site).put(self.tmp / name, sender=sender, recipient=recipient)

    def ask(self, site):
        spoke = self.spokes[site]
        return spoke.take(*self.hub.answer(site, *spoke.question()))

    def settle(self):
        while any([self.ask(site) for site in SITES]):
            pass


@pytest.fixture
def town(tmp_path):
    return Town(tmp_path)


def test_letters_reach_their_sites_and_no_other(town, tmp_path):
    data = np.random.default_rng(0).bytes(2 * MAX_BATCH + 17)
    big = town.put("site-1", "a/lab", "analyst", data)
    town.put("office", "analyst", EVERYONE, b"the study", "study.toml")
    town.put("office", "analyst", "b/lab", b"an answer", "answer")
    town.settle()
    town.carrier("office").get(big, tmp_path / "arrived")
    assert (tmp_path / "arrived").read_bytes() == data
    assert [p.name for p in town.carrier("site-2").list("b/lab")] == ["answer"]
    for site in ("site-1", "site-2"):
        assert [p.name for p in town.carrier(site).list(EVERYONE)] == ["study.toml"]
    assert not town.carrier("site-2").list("analyst")
    assert not town.carrier("site-1").list("b/lab")
    assert not any([town.ask(site) for site in SITES])


def test_no_question_and_no_answer_holds_much(town):
    town.put("site-1", "a/lab", "analyst", bytes(3 * MAX_BATCH))
    sizes = []
    for _ in range(8):
        files, had = town.spokes["site-1"].question()
        sizes.append(sum(map(len, files.values())))
        town.spokes["site-1"].take(*town.hub.answer("site-1", files, had))
        given, there = town.hub.answer("office", *town.spokes["office"].question())
        sizes.append(sum(map(len, given.values())))
        town.spokes["office"].take(given, there)
    assert max(sizes) <= MAX_BATCH
    assert len(town.carrier("office").list("analyst")) == 1


def test_what_is_lost_on_the_way_is_brought_again(town):
    town.put("site-1", "a/lab", "analyst", bytes(MAX_BATCH + 5))
    town.spokes["site-1"].question()  # lost
    town.hub.answer("site-1", *town.spokes["site-1"].question())  # its answer is lost
    town.settle()
    town.hub = Hub(Memory(), SITES)  # the server begins again from nothing
    for site, roles in SITES.items():
        town.spokes[site] = Spoke(town.spokes[site].shelf, roles)
    town.put("site-1", "a/life", "analyst", b"later", "later")
    town.settle()
    names = {p.name for p in town.carrier("office").list("analyst")}
    assert names == {"letter", "later"}


def test_half_a_parcel_stays_at_home(town):
    town.put("site-1", "a/lab", "analyst", bytes(10))
    for path in list(town.spokes["site-1"].shelf.find()):
        if path.endswith("complete.json"):
            (town.spokes["site-1"].shelf.root / path).unlink()
    assert town.spokes["site-1"].question()[0] == {}


def test_a_site_speaks_for_its_own_roles_alone(town):
    path = f"{folder_of('b/lab')}/{folder_of('analyst')}/000001-x/00000"
    with pytest.raises(CarrierError, match="site-1 gave a file of a role that is not its own"):
        town.hub.answer("site-1", {path: b"x"}, {})
    with pytest.raises(CarrierError, match="site-9 is no site of this job"):
        town.hub.answer("site-9", {}, {})
    mine = f"{folder_of('a/lab')}/{folder_of('analyst')}/000001-x/00000"
    for stray in (path, mine):
        with pytest.raises(CarrierError, match="for somebody else"):
            town.spokes["site-1"].take({stray: b"x"}, {})


@pytest.mark.parametrize(
    "path",
    ["../../etc/x/y", "/a/b/c/d", "a/b/c", "a/b/c/d/e", "a/b/../d", "a/b/c/.hidden", "A/b/c/d", ""],
)
def test_paths_that_lead_elsewhere_are_refused(path):
    with pytest.raises(CarrierError, match="no carrier writes"):
        check(path, 1)


def test_files_that_are_too_large_are_refused():
    check("a/b/c/00000", PIECE_BYTES)
    for path, size in (("a/b/c/00000", PIECE_BYTES + 1), ("a/b/c/complete.json", 5000)):
        with pytest.raises(CarrierError, match="no carrier writes"):
            check(path, size)
