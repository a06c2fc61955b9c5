"""Files that leave and files that arrive, alike for every kind of study."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rich.table
import typer

from consilience.by_files import Leaving, Letter, Outcome, Solution
from consilience.cli.shared.approval import let_wait
from consilience.cli.shared.console import output, plain, progress_bar, tell, warn
from consilience.evidence.release import seal_release
from consilience.evidence.roll import ROLL, Roll
from consilience.evidence.statement import Circumstances, is_evidence
from consilience.exceptions import BundleError, StudyError
from consilience.report.page import Table, format_cell, write_page
from consilience.sources.reading import table_pieces
from consilience.sources.source import Source
from consilience.study.files import write_whole
from consilience.study.locks import locked
from consilience.study.participant import Participant
from consilience.study.pins import pin
from consilience.study.secrets import PrivateFolder
from consilience.study.together import replace_together
from consilience.transports.bundle import Manifest, is_sealed, manifest_of, read_bundle

__all__ = [
    "ask",
    "in_numbers",
    "let_leave",
    "present",
    "read_folder",
    "read_letters",
    "rehearsed",
    "show_table",
    "who_decides",
    "write_answers",
    "write_outcome",
]

LABELS_MODE = 0o600


@contextmanager
def rehearsed(me: Participant) -> Iterator[Participant]:
    """Take the place of a participant with a copy of its private folder, which is then gone."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "private"
        shutil.copytree(me.folder.path, copy)
        yield replace(me, folder=PrivateFolder(copy))


def _manifests(me: Participant, leaving: Leaving) -> list[Manifest]:
    return [manifest_of(letter.message, me.study, letter.purpose) for letter in leaving.letters]


def in_numbers(me: Participant, leaving: Leaving) -> dict[str, Any]:
    """Return what would leave, and what is to be said about it, as plain values."""
    manifests = _manifests(me, leaving)
    recipients = sorted({manifest.recipient for manifest in manifests})
    return {
        "shown": [list(line) for line in leaving.shown],
        "bytes": sum(m.n_bytes for m in manifests),
        "arrays": sum(len(m.members) for m in manifests),
        "study": {"name": me.study.name, "fingerprint": me.study.fingerprint},
        "to": {name: me.study.public_keys(name).fingerprint for name in recipients},
        "question": leaving.question,
        "notes": list(leaving.notes),
        "refusal": leaving.refusal,
        "audit": None if leaving.audit is None else json.loads(leaving.audit.to_json()),
        "worst": None if leaving.audit is None else leaving.audit.worst_line,
    }


def present(me: Participant, leaving: Leaving) -> list[Manifest]:
    """Show what would leave, and what is to be said about it."""
    manifests = _manifests(me, leaving)
    _show(me, leaving, manifests)
    for note in leaving.notes:
        warn(note)
    if leaving.audit is not None:
        warn(leaving.audit.worst_line)
    return manifests


def who_decides(leaving: Leaving, override: str | None, *, yes: bool) -> str | None:
    """Return who sends although the audit refuses, if it does; refuse where nobody is named.

    Parameters
    ----------
    leaving : Leaving
    override : str, optional
        The name, if it was given.
    yes : bool
        Whether nobody is there to be asked.
    """
    if not leaving.refusal:
        return None
    if override:
        return override
    if yes:
        raise StudyError(
            f"{leaving.refusal} To send all the same, say who decides so: --override NAME."
        )
    warn(leaving.refusal)
    question = "Who decides to send all the same? (nobody: press Enter)"
    try:
        name: str = typer.prompt(question, default="", show_default=False, err=True).strip()
    except typer.Abort:
        name = ""
    if not name:
        raise StudyError(
            "nothing was written: nobody decided to send it. In a script, use --override NAME."
        )
    return name


def let_leave(
    me: Participant,
    leaving: Leaving,
    out: Path,
    *,
    yes: bool,
    override: str | None = None,
    by: str | None = None,
    source: Source | None = None,
) -> list[Path]:
    """Show what would leave, ask, note it in the ledger, and write it; return the files."""
    # Keys that are not those of the study are refused before anything is noted.
    me.study.public_keys(me.identity.name)
    before = me.folder.ledger.entries()
    manifests = present(me, leaving)
    decides = who_decides(leaving, override, yes=yes)
    for letter in leaving.letters:
        _refuse_other_file(out / letter.file)
    if leaving.letters:
        ask(leaving.question, yes)
        pin(me.folder.path, me.study)
        if by is not None:
            me.folder.ledger.add("consent", by=by, study=me.study.digest)
    if leaving.refusal and leaving.audit is not None:
        me.folder.ledger.add(
            "override",
            by=decides,
            reconstruction=leaving.audit.reconstruction,
            limit=me.study.max_reconstruction,
            study=me.study.digest,
        )
    pairs = zip(leaving.letters, manifests, strict=True)
    facts = {**leaving.facts, **({} if source is None else source.noted)}
    known = Circumstances(leaving.entry, facts, leaving.audit, decides, before)
    if leaving.needs_approval and me.study.approvals_of(me.name):
        return [let_wait(me, leaving, letter, manifest, out, known) for letter, manifest in pairs]
    return [_write(me, leaving, letter, manifest, out, known) for letter, manifest in pairs]


def _show(me: Participant, leaving: Leaving, manifests: Sequence[Manifest]) -> None:
    recipients = sorted({manifest.recipient for manifest in manifests})
    title = plain(f"What would leave {me.name} for {', '.join(recipients) or 'nobody'}")
    table = rich.table.Table(title=title)
    table.add_column("what", no_wrap=True)
    table.add_column("how much")
    for what, how_much in leaving.shown:
        table.add_row(what, plain(how_much))
    n_bytes, n_arrays = sum(m.n_bytes for m in manifests), sum(len(m.members) for m in manifests)
    table.add_row("in all", f"{n_bytes:,} bytes in {n_arrays} arrays")
    table.add_row("study", plain(f"{me.study.name}\n{_lines(me.study.fingerprint)}"))
    for name in recipients:
        digits = _lines(me.study.public_keys(name).fingerprint)
        table.add_row("sealed to", plain(f"{name}\n{digits}"))
    output.print(table)
    for more in leaving.tables:
        show_table(more)


def _lines(fingerprint: str) -> str:
    """Break a fingerprint in the middle, so that a table does not break it elsewhere."""
    half = len(fingerprint) // 2
    return f"{fingerprint[:half]}\n{fingerprint[half + 1 :]}"


def ask(question: str, yes: bool) -> None:
    """Ask whether this may leave, and stop if it may not."""
    try:
        agreed = yes or typer.confirm(question, default=False, err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise StudyError("nothing was written: you did not agree. In a script, use --yes.")


def _write(
    me: Participant,
    leaving: Leaving,
    letter: Letter,
    manifest: Manifest,
    out: Path,
    known: Circumstances,
) -> Path:
    """Note a letter in the ledger, seal it, keep what belongs to it, and let it appear."""
    path = out / letter.file
    me.folder.ledger.add(leaving.entry, **_about(me, manifest, path.name, known.facts))
    with locked(me.folder.path / "letters.lock"), replace_together(out) as opened:
        seal_release(opened, path.name, me, letter.message, manifest, known)
        # What an earlier letter needs is given up only for one that can be sent.
        leaving.keep(manifest)
    return path


def _refuse_other_file(path: Path) -> None:
    """Refuse to put a bundle in the place of a file that is none."""
    if path.exists() and not is_sealed(path):
        raise StudyError(f"{path} exists and is no bundle of ours. Choose another --out.")


def _about(
    me: Participant, manifest: Manifest, file: str, facts: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what a ledger says of a letter."""
    return {
        "to": manifest.recipient,
        "study": me.study.digest,
        "file": file,
        **(facts or {}),
        "bytes": manifest.n_bytes,
        "digest": manifest.digest,
        "members": {member.name: member.sha256 for member in manifest.members},
    }


def read_letters(me: Participant, paths: Sequence[Path], spill: Path | None = None) -> list[Letter]:
    """Unseal and verify what arrived; name all that cannot be used at once.

    Parameters
    ----------
    me : Participant
    paths : sequence of Path
    spill : Path, optional
        A private folder for what is large, see
        :func:`~consilience.transports.bundle.read_bundle`.
    """
    letters, unread = read_folder(me, paths, spill)
    if len(unread) == 1:
        raise BundleError(unread[0])
    if unread:
        reasons = " ".join(f"({k}) {reason}" for k, reason in enumerate(unread, 1))
        raise BundleError(f"{len(unread)} of {len(paths)} files cannot be used: {reasons}")
    return letters


def read_folder(
    me: Participant, paths: Sequence[Path], spill: Path | None = None
) -> tuple[list[Letter], list[str]]:
    """Unseal and verify what lies in a folder for a role; return what cannot be used, too."""
    letters, unread = [], []
    bundles = [path for path in paths if not is_evidence(path.name)]
    with progress_bar() as progress:
        for path in progress.track(bundles, description="reading"):
            try:
                message, manifest = read_bundle(
                    path, study=me.study, identity=me.identity, spill=spill
                )
            except BundleError as error:
                unread.append(str(error))
            else:
                letters.append(Letter(message, manifest.purpose, path.name, manifest))
    return letters, unread


def write_answers(
    me: Participant,
    solution: Solution,
    out: Path,
    report: Path | None,
    arrived: Sequence[Letter] = (),
) -> None:
    """Write one answer per party, all of them or none, and the analyst's page."""
    me.study.public_keys(me.identity.name)
    for note in solution.notes:
        warn(note)
    roll = Roll(tuple((letter.message.sender, letter.stated.digest) for letter in arrived))
    known = Circumstances("answer", before=me.folder.ledger.entries(), answers=roll)
    for letter in solution.answers:
        _refuse_other_file(out / letter.file)
    with locked(me.folder.path / "letters.lock"), replace_together(out) as opened:
        left = []
        for letter in solution.answers:
            manifest = manifest_of(letter.message, me.study, letter.purpose)
            seal_release(opened, letter.file, me, letter.message, manifest, known)
            left.append(_about(me, manifest, letter.file))
        if left:
            opened(ROLL).write(roll.text.encode())
        # Each answer gets its name when all are on disk, and in the ledger.
        me.folder.ledger.add_all("answer", left)
        solution.keep()
    if report is not None:
        write_page(solution.page(), report)


def show_table(table: Table) -> None:
    """Print a table of a page on the terminal."""
    shown = rich.table.Table(caption=plain(table.caption) if table.caption else None)
    for name in table.header:
        shown.add_column(plain(name))
    for row in table.rows:
        shown.add_row(*(plain(format_cell(cell)) for cell in row))
    output.print(shown)


def write_outcome(outcome: Outcome, out: Path, report: Path | None) -> None:
    """Write what an answer says of a party's rows, readable by its owner alone."""
    further = {out.with_name(f"{out.stem}{ending}"): data for ending, data in outcome.files.items()}
    for path, data in further.items():
        if path.suffix == ".toml" and path.exists() and path.read_bytes() != data:
            raise StudyError(f"{path} exists; a study is never overwritten. Choose another --out.")
    with write_whole(out, LABELS_MODE) as stream:
        stream.writelines(table_pieces(outcome.table, out))
    tell(f"wrote {len(outcome.table)} rows to {out}{outcome.by} ({outcome.said})")
    for path, data in further.items():
        with write_whole(path, LABELS_MODE) as stream:
            stream.write(data)
    if outcome.also:
        written = " and ".join(map(str, further))
        tell(f"wrote {written}: {outcome.also}" if further else outcome.also)
    for note in outcome.notes:
        warn(note)
    if report is not None:
        write_page(outcome.page(), report)
        tell(f"wrote {report}")
