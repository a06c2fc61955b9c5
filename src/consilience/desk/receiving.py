"""Files that are dropped on a page: what each is, and where it goes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

from consilience.desk.seat import BACKUP, BY_HAND, OFFERED, PUBLIC, TABLES, Seat
from consilience.exceptions import StudyError
from consilience.study.files import write_whole
from consilience.study.study import MAX_STUDY_BYTES, Study
from consilience.transports.bundle import is_sealed

__all__ = ["check_name", "read_text", "receive_letter", "receive_table"]

NAME = re.compile(r"[\w-][\w.@ -]{0,199}")
LETTERS = (
    *(".contribution", ".answer", ".keys", ".withdrawal", ".query"),
    *(".nodes", ".clusters", ".peer", ".match", BACKUP),
)
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".gz", ".sql")
MODE = 0o600


def check_name(name: str) -> str:
    """Return the name of a file that may be kept under it.

    Examples
    --------
    >>> check_name("a_clinical 2026.csv")
    'a_clinical 2026.csv'
    """
    if not NAME.fullmatch(name) or ".." in name:
        raise StudyError(
            "the name of the file has signs that are not kept here: rename it with letters, "
            "digits, spaces, dots and dashes."
        )
    return name


async def receive_table(seat: Seat, name: str, parts: AsyncIterator[bytes]) -> str:
    """Keep a table, readable by its owner alone; return where, from the folder of the study."""
    if not check_name(name).lower().endswith(TABLE_ENDINGS):
        raise StudyError(
            f"a table is a file that ends in {', '.join(TABLE_ENDINGS[:-1])}; a query in .sql."
        )
    await _keep(seat.path / TABLES / name, parts)
    return f"{TABLES}/{name}"


async def receive_letter(seat: Seat, name: str, parts: AsyncIterator[bytes]) -> str:
    """Keep what another role sent; return what it is, in words."""
    check_name(name)
    if name.endswith((".public.toml", ".succession.json")):
        await _keep(seat.path / PUBLIC / name, parts, MAX_STUDY_BYTES)
        return "public keys: put them into the study below"
    if name.endswith(".toml"):
        return _offer(seat, await read_text(parts))
    if name.endswith((".statement.json", ".statement.txt")):
        return "a statement: it is for whoever checks, and not needed here"
    if not name.endswith(LETTERS):
        raise StudyError(
            "the file is none that belongs to a study: those end in .toml, .keys, .contribution, "
            ".answer or .public.toml. A table goes to My table."
        )
    path = seat.path / BY_HAND / name
    await _keep(path, parts)
    if not is_sealed(path):
        path.unlink()
        raise StudyError("the file is not sealed: it is no letter of a study, or is damaged.")
    if name.endswith(BACKUP):
        return "a back-up: your passphrase opens it"
    return f"a sealed file, {name.rpartition('.')[2]}"


def _offer(seat: Seat, text: str) -> str:
    """Take a study where there is none, or keep it until it is accepted."""
    study = Study.from_text(text, "the file")
    if seat.study is None or _follows(study, seat.study):
        seat.write_study(text)
        return "the study"
    seat.kept("").mkdir(mode=0o700, exist_ok=True)
    with write_whole(seat.kept(OFFERED), MODE) as stream:
        stream.write(text.encode())
    return "another version of the study: look at what differs"


def _follows(new: Study, old: Study) -> bool:
    """Tell whether a study is the same with more keys in it, and none of them another."""
    same = {**new.terms(), "keys": None} == {**old.terms(), "keys": None}
    return same and all(new.keys.get(name) == keys for name, keys in old.keys.items())


async def read_text(parts: AsyncIterator[bytes]) -> str:
    """Return a short text; a long one, or what is no text, is refused."""
    data = bytearray()
    async for part in parts:
        data += part
        if len(data) > MAX_STUDY_BYTES:
            raise StudyError(f"the file is larger than {MAX_STUDY_BYTES} bytes: no study.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise StudyError("the file is no text in UTF-8: no study.") from None


async def _keep(path: Path, parts: AsyncIterator[bytes], most: int | None = None) -> None:
    """Write what comes in, whole or not at all."""
    path.parent.mkdir(mode=0o700, exist_ok=True, parents=True)
    done = 0
    with ExitStack() as stack:
        stream = stack.enter_context(write_whole(path, MODE))
        async for part in parts:
            stream.write(part)
            done += len(part)
            if most is not None and done > most:
                raise StudyError(f"the file is larger than {most} bytes.")
        await asyncio.to_thread(stack.pop_all().close)
