"""A folder of tables as the windows of a stream: each file, once, in the order they came."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from consilience.arrays import read_json
from consilience.by_files import Kind
from consilience.cli.shared.letters import write_outcome
from consilience.cli.shared.post import Post
from consilience.cli.shared.sending import Consent, send_table
from consilience.cli.shared.taking_part import ANSWER, LABELS, Event, approval_awaited
from consilience.exceptions import ArraysError, StudyError
from consilience.sources.source import Source
from consilience.study.files import write_whole
from consilience.study.study import ANALYST

__all__ = ["number_windows", "send_windows"]

WINDOWS = "windows.json"


def send_windows(post: Post, kind: Kind, source: Source, consent: Consent, event: Event) -> str:
    """Send every file of a folder that is new as a window; label all by the latest answer.

    Returns
    -------
    str
        What is waited for.
    """
    me, out = post.me, post.out
    if source.file is None or not source.file.is_dir():
        raise StudyError(
            "in a stream --data is a folder: every file that comes into it is a window."
        )
    windows = number_windows(source.file, out / WINDOWS)
    known = [e for e in me.folder.ledger.entries() if e.get("study") == me.study.digest]
    sent = {int(e["window"]): str(e["file"]) for e in known if {"window", "file"} <= e.keys()}
    for number, file in enumerate(windows):
        if number in sent and (out / sent[number]).exists():
            continue
        waiting = approval_awaited(me, out, consent)
        if waiting:
            return waiting
        send_table(me, kind, replace(source, data=file), out, consent, window=number)
        event("sent", window=number)
    post.send()
    answers = [found for found in post.letters() if found[0].message.sender == ANALYST]
    for letter, path in answers:
        for file in windows:
            labels = out / f"{file.stem}.{LABELS}"
            if not labels.exists() or labels.stat().st_mtime_ns < path.stat().st_mtime_ns:
                outcome = kind.read(me, [letter], replace(source, data=file))
                write_outcome(outcome, labels, None)
                event("labelled", file=str(labels))
    if not windows:
        return f"a first file in {source.file}"
    return "" if answers else ANSWER


def number_windows(folder: Path, record: Path) -> list[Path]:
    """Return the files of a folder in the order they came, which a record keeps.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "week2.csv").touch()
    >>> [path.name for path in number_windows(folder, folder / ".record")]
    ['week2.csv']
    >>> (folder / "week1.csv").touch()
    >>> [path.name for path in number_windows(folder, folder / ".record")]
    ['week2.csv', 'week1.csv']
    """
    try:
        names = read_json(record.read_bytes())["names"] if record.exists() else []
    except (ArraysError, KeyError, TypeError):
        raise StudyError(f"{record} is damaged. Restore it from a copy.") from None
    there = sorted(p.name for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    new = [name for name in there if name not in names]
    if new:
        names = [*names, *new]
        with write_whole(record) as stream:
            stream.write(json.dumps({"names": names}, indent=1).encode())
    return [folder / name for name in names]
