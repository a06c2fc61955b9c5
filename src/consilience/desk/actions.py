"""What a person can do at a desk: each act is one command, built from what the page was told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from consilience.desk.commands import Command, option
from consilience.desk.seat import ARRIVED, BACKUP, STUDY, Seat
from consilience.desk.ways import way_of
from consilience.desk.words import Form, consent, place, role, table, who
from consilience.exceptions import StudyError

__all__ = ["ACTIONS", "PREVIEW", "command_of"]

JSON = ("--json",)
PREVIEW = ".desk/preview.csv"
COMPARED = ("collaboration", "summaries, means of 10", "summaries, epsilon 1")
"""What a party of a study whose institutions hold the same columns may compare."""


def command_of(action: str, seat: Seat, form: Form) -> Command:
    """Return the command of an act; one that does not exist is refused."""
    if action not in ACTIONS:
        raise StudyError("there is no such action: go back to the study.")
    return ACTIONS[action](seat, form)


def _keygen(seat: Seat, form: Form) -> Command:
    return Command(("keygen", "--name", role(seat)))


def _collect(seat: Seat, form: Form) -> Command:
    files = seat.public_files
    if not files:
        raise StudyError("nothing to collect: put the public keys that others sent you here first.")
    return Command(("collect", STUDY, *files, *who(seat)))


def _share(seat: Seat, form: Form) -> Command:
    return Command(("share", STUDY, *seat.arrived(".keys"), *who(seat)))


def _check(seat: Seat, form: Form) -> Command:
    preview = ("--preview", PREVIEW)
    return Command(("check", STUDY, *who(seat), *table(seat), *preview), JSON)


def _rehearse(seat: Seat, form: Form) -> Command:
    return Command((*way_of(seat).rehearse(seat), "--dry-run"), JSON)


def _audit(seat: Seat, form: Form) -> Command:
    return Command(("audit", STUDY, *who(seat), *table(seat)), JSON)


def _frontier(seat: Seat, form: Form) -> Command:
    return Command(("audit", STUDY, *who(seat), *table(seat), "--frontier"), JSON)


def _compare(seat: Seat, form: Form) -> Command:
    """Reduced rows against summaries, on the table of this party alone."""
    methods = tuple(word for name in COMPARED for word in ("--method", name))
    clusters = option("--clusters", form.get("clusters", "").strip() or "3")
    return Command(("compare", *table(seat), *clusters, *methods), JSON)


def _contribute(seat: Seat, form: Form) -> Command:
    way = way_of(seat)
    return Command((*way.send(seat), *consent(form)), remembered=way.remember(seat))


def _match(seat: Seat, form: Form) -> Command:
    """Pass ids on to the next holder of the same rows, or begin with it."""
    name = role(seat)
    holders = seat.study.holders_of(name) if seat.study else []
    letters = seat.arrived(".match")
    if not letters and name not in holders[:1]:
        raise StudyError(f"{holders[0]} begins: put the file here that is passed on to you.")
    return Command(("match", STUDY, *letters, *who(seat), *table(seat), *consent(form)))


def _carry(seat: Seat, form: Form) -> Command:
    return Command(("join", place(seat), *who(seat), "--carry"))


def _label(seat: Seat, form: Form) -> Command:
    return Command(way_of(seat).read(seat))


def _status(seat: Seat, form: Form) -> Command:
    return Command(("status", STUDY, ARRIVED), JSON)


def _explore(seat: Seat, form: Form) -> Command:
    return Command((*way_of(seat).solve(seat), "--explore"), JSON)


def _analyse(seat: Seat, form: Form) -> Command:
    words = way_of(seat).solve(seat)
    if form.get("clusters"):
        words += option("--clusters", form["clusters"])
    if form.get("method"):
        words += option("--method", form["method"])
    return Command(words, JSON)


def _backup(seat: Seat, form: Form) -> Command:
    if form.get("passphrase", "") != form.get("repeated", ""):
        raise StudyError("the two passphrases differ: type the same one twice.")
    return Command(("backup", STUDY, *who(seat)), given=form.get("passphrase", "") + "\n")


def _restore(seat: Seat, form: Form) -> Command:
    backups = seat.arrived(BACKUP)
    if not backups:
        raise StudyError(f"no back-up is here: drop the file that ends in {BACKUP} first.")
    words = ("backup", STUDY, *who(seat), "--restore", backups[-1])
    return Command(words, given=form.get("passphrase", "") + "\n")


def _init(seat: Seat, form: Form) -> Command:
    groups = {
        form.get(f"group-{k}", "").strip(): file
        for k, file in enumerate(sorted(seat.tables))
        if form.get(f"group-{k}", "").strip()
    }
    if not groups:
        raise StudyError(
            "no table has a name for its columns: name at least one, such as clinical."
        )
    words: tuple[str, ...] = ("init",)
    words += option("--name", form.get("name", "").strip() or seat.title)
    words += option("--rows", ",".join(form.get("rows", "").split()))
    words += option("--columns", ",".join(groups))
    words += ("--from", ",".join(f"{group}={file}" for group, file in groups.items()))
    words += option("--id", form.get("id_column", "id").strip())
    for given, said in (("kind", "--for"), ("clusters", "--clusters"), ("target", "--target")):
        if form.get(given, "").strip():
            words += option(said, form[given].strip())
    for column in form.get("ignore", "").split(","):
        if column.strip():
            words += option("--ignore", column.strip())
    return Command(words)


ACTIONS: Mapping[str, Callable[[Seat, Form], Command]] = {
    "init": _init,
    "keygen": _keygen,
    "collect": _collect,
    "share": _share,
    "check": _check,
    "rehearse": _rehearse,
    "audit": _audit,
    "frontier": _frontier,
    "compare": _compare,
    "contribute": _contribute,
    "match": _match,
    "carry": _carry,
    "label": _label,
    "status": _status,
    "explore": _explore,
    "analyse": _analyse,
    "backup": _backup,
    "restore": _restore,
}
