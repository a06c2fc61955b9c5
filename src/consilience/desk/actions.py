"""What a person can do at a desk: each act is one command, built from what the page was told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from consilience.desk.commands import Command, option
from consilience.desk.seat import ARRIVED, LABELS, REPORT, STUDY, Seat
from consilience.exceptions import StudyError
from consilience.study.study import ANALYST

__all__ = ["ACTIONS", "Form", "command_of"]

Form = Mapping[str, str]
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
    return Command(("keygen", "--name", _role(seat)))


def _collect(seat: Seat, form: Form) -> Command:
    files = seat.public_files
    if not files:
        raise StudyError("nothing to collect: put the public keys that others sent you here first.")
    return Command(("collect", STUDY, *files, *_as(seat)))


def _share(seat: Seat, form: Form) -> Command:
    return Command(("share", STUDY, *seat.arrived(".keys"), *_as(seat)))


def _check(seat: Seat, form: Form) -> Command:
    preview = ("--preview", PREVIEW)
    return Command(("check", STUDY, *_as(seat), *table(seat), *preview), JSON)


def _rehearse(seat: Seat, form: Form) -> Command:
    return Command(("contribute", STUDY, *_as(seat), *table(seat), "--dry-run"), JSON)


def _audit(seat: Seat, form: Form) -> Command:
    return Command(("audit", STUDY, *_as(seat), *table(seat)), JSON)


def _frontier(seat: Seat, form: Form) -> Command:
    return Command(("audit", STUDY, *_as(seat), *table(seat), "--frontier"), JSON)


def _compare(seat: Seat, form: Form) -> Command:
    """Reduced rows against summaries, on the table of this party alone."""
    methods = tuple(word for name in COMPARED for word in ("--method", name))
    clusters = option("--clusters", form.get("clusters", "").strip() or "3")
    return Command(("compare", *table(seat), *clusters, *methods), JSON)


def _contribute(seat: Seat, form: Form) -> Command:
    return Command(("contribute", STUDY, *_as(seat), *table(seat), "--yes", *_consent(form)))


def _join(seat: Seat, form: Form) -> Command:
    mine = () if seat.role == ANALYST else (*table(seat), "--yes", *_consent(form))
    return Command(("join", _place(seat), *_as(seat), *mine))


def _carry(seat: Seat, form: Form) -> Command:
    return Command(("join", _place(seat), *_as(seat), "--carry"))


def _label(seat: Seat, form: Form) -> Command:
    answers = seat.arrived(".answer")
    if not answers:
        raise StudyError("there is no answer yet: put the file the analyst sent you here first.")
    out = ("--out", LABELS, "--report", REPORT)
    return Command(("label", STUDY, answers[-1], *_as(seat), *table(seat), *out))


def _status(seat: Seat, form: Form) -> Command:
    return Command(("status", STUDY, ARRIVED), JSON)


def _explore(seat: Seat, form: Form) -> Command:
    return Command(("analyse", STUDY, *_contributions(seat), "--explore"), JSON)


def _analyse(seat: Seat, form: Form) -> Command:
    chosen: tuple[str, ...] = ()
    if form.get("clusters"):
        chosen += option("--clusters", form["clusters"])
    if form.get("method"):
        chosen += option("--method", form["method"])
    out = ("--out", ".", "--report", REPORT)
    return Command(("analyse", STUDY, *_contributions(seat), *chosen, *out), JSON)


def _backup(seat: Seat, form: Form) -> Command:
    if form.get("passphrase", "") != form.get("repeated", ""):
        raise StudyError("the two passphrases differ: type the same one twice.")
    return Command(("backup", STUDY, *_as(seat)), given=form.get("passphrase", "") + "\n")


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
    "join": _join,
    "carry": _carry,
    "label": _label,
    "status": _status,
    "explore": _explore,
    "analyse": _analyse,
    "backup": _backup,
}


def table(seat: Seat) -> tuple[str, ...]:
    """Return the options that say where the table of a party is."""
    known = seat.memory
    if not known.table:
        raise StudyError("no table was chosen: go to My table first.")
    words = ("--data", known.table, *option("--id", known.id_column))
    for column in known.ignore:
        words += option("--ignore", column)
    if known.query:
        words += ("--query", known.query)
    if known.credentials:
        words += ("--credentials", known.credentials)
    return words


def _role(seat: Seat) -> str:
    if not seat.role:
        raise StudyError("say first who you are in this study.")
    return seat.role


def _as(seat: Seat) -> tuple[str, ...]:
    return ("--as", _role(seat))


def _place(seat: Seat) -> str:
    if not seat.memory.place:
        raise StudyError("no place was named: say where the files of this study are carried.")
    return seat.memory.place


def _contributions(seat: Seat) -> list[str]:
    files = [*seat.arrived(".contribution"), *seat.arrived(".withdrawal")]
    if not files:
        raise StudyError("nothing has arrived yet: put the files that parties sent you here first.")
    return files


def _consent(form: Form) -> tuple[str, ...]:
    """Return who agrees; an act without a name and a tick is none."""
    name = form.get("by", "").strip()
    if not name or form.get("agreed") != "yes":
        raise StudyError("nothing left: to agree, tick the box and type your name.")
    words = option("--by", name)
    if form.get("override", "").strip():
        words += option("--override", form["override"].strip())
    if form.get("accept") == "yes":
        words += ("--accept",)
    return words
