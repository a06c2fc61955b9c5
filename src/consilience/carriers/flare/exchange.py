"""What the two sides of a job say to each other: files of sites, each to those it is for.

The server keeps what it was given; a site asks again and again, gives what the server lacks and
takes what it lacks itself. Whatever is lost on the way, the next question repairs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from consilience.carriers.carrier import Shelf
from consilience.carriers.parcel import EVERYONE, MAX_SLIP_BYTES, PIECE_BYTES, SLIP, folder_of
from consilience.exceptions import CarrierError

__all__ = ["Files", "Hub", "Sizes", "Spoke"]

Files = dict[str, bytes]
Sizes = dict[str, int]

MAX_BATCH = 2 * PIECE_BYTES
"""So many bytes are enough for one question, or for the answer to it; a piece always goes."""
MAX_FILES = 100_000
PLAIN = re.compile(
    r"[a-z0-9](?:[a-z0-9.-]{0,198}[a-z0-9])?(?:/[a-z0-9](?:[a-z0-9.-]{0,198}[a-z0-9])?){3}"
)


@dataclass
class Hub:
    """The server's side: files by site, and who may give and take which.

    Parameters
    ----------
    shelf : Shelf
    sites : mapping of str to sequence of str
        The roles of each site.

    Examples
    --------
    >>> from consilience.carriers.in_process import Memory
    >>> hub = Hub(Memory(), {"site-1": ["a/lab"], "site-2": ["analyst"]})
    >>> path = f"{folder_of('a/lab')}/{folder_of('analyst')}/000001-x/00000"
    >>> _ = hub.answer("site-1", {path: b"sealed"}, {})
    >>> hub.answer("site-2", {}, {})[0] == {path: b"sealed"}
    True
    """

    shelf: Shelf
    sites: Mapping[str, Iterable[str]]
    _known: Sizes = field(default_factory=dict)

    def answer(self, site: str, given: Files, had: Sizes) -> tuple[Files, Sizes]:
        """Keep what a site gives; return what it lacks, and what of its own is here.

        Parameters
        ----------
        site : str
            As the network knows it.
        given : dict of str to bytes
            Files by path; those of roles of other sites are refused.
        had : dict of str to int
            Sizes of the files it has of others.
        """
        if site not in self.sites:
            raise CarrierError(f"{site} is no site of this job. Write the job anew with it.")
        own = {folder_of(role) for role in self.sites[site]}
        for path, data in given.items():
            check(path, len(data))
            if path.split("/")[0] not in own:
                raise CarrierError(f"{site} gave a file of a role that is not its own.")
            if len(self._known) >= MAX_FILES:
                raise CarrierError(f"the job holds {MAX_FILES} files already; start another one.")
            if self._known.get(path) != len(data):
                self.shelf.write(path, data)
                self._known[path] = len(data)
        wanted = own | {folder_of(EVERYONE)}
        lacking = [p for p, n in self._known.items() if had.get(p) != n]
        lacking = [p for p in lacking if p.split("/")[1] in wanted and p.split("/")[0] not in own]
        mine = {path: n for path, n in self._known.items() if path.split("/")[0] in own}
        return batch(self.shelf, lacking, self._known), mine


@dataclass
class Spoke:
    """A site's side: its folder, and the roles whose files go out from there.

    Parameters
    ----------
    shelf : Shelf
    roles : sequence of str
    """

    shelf: Shelf
    roles: Iterable[str]
    _there: Sizes = field(default_factory=dict)

    def question(self) -> tuple[Files, Sizes]:
        """Return what the server lacks, as far as is known, and what is here of others."""
        own, found = {folder_of(role) for role in self.roles}, self.shelf.find()
        # A parcel without its slip is not whole yet.
        whole = {path.rpartition("/")[0] for path in found if path.endswith(f"/{SLIP}")}
        ready = [p for p in found if p.split("/")[0] in own and p.rpartition("/")[0] in whole]
        lacking = [path for path in ready if self._there.get(path) != found[path]]
        had = {path: n for path, n in found.items() if path.split("/")[0] not in own}
        return batch(self.shelf, lacking, found), had

    def take(self, given: Files, there: Sizes) -> bool:
        """Put what arrived into the folder; tell whether something moved."""
        own = {folder_of(role) for role in self.roles}
        for path, data in given.items():
            check(path, len(data))
            sender, recipient, *_ = path.split("/")
            if sender in own or recipient not in {*own, folder_of(EVERYONE)}:
                raise CarrierError("the server gave a file that is for somebody else.")
            self.shelf.write(path, data)
        moved = bool(given) or there != self._there
        self._there = there
        return moved


def batch(shelf: Shelf, paths: Iterable[str], sizes: Mapping[str, int]) -> Files:
    """Read some of these files: slips after the pieces they speak of, and not too much at once."""
    taken: list[str] = []
    n_bytes = 0
    for path in sorted(
        paths, key=lambda path: (path.rpartition("/")[0], path.endswith(SLIP), path)
    ):
        if taken and n_bytes + sizes[path] > MAX_BATCH:
            break
        taken.append(path)
        n_bytes += sizes[path]
    return {path: shelf.read(path) for path in taken}


def check(path: str, n_bytes: int) -> None:
    """Refuse a path or a size that no carrier of ours writes."""
    limit = MAX_SLIP_BYTES if path.endswith(f"/{SLIP}") else PIECE_BYTES
    if not PLAIN.fullmatch(path) or ".." in path or n_bytes > limit:
        raise CarrierError("a file was given that no carrier writes: its name, or its size.")
