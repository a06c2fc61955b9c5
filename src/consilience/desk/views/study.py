"""The pages every role has: the study in words, keys, the ledger."""

from __future__ import annotations

from typing import Any

from consilience.desk.seat import BACKUP, OFFERED, Seat
from consilience.study.study import ANALYST, Study
from consilience.study.wording import difference

__all__ = ["show_keys", "show_ledger", "show_study"]

MAX_LINES = 40


def show_study(seat: Seat) -> dict[str, Any]:
    """Show what was agreed, who takes part, and what differs in a version that somebody sent."""
    study = seat.study
    if study is None:
        return {"offered": None}
    offered = seat.kept(OFFERED)
    return {
        "told": study.method.told,
        "columns": [_column(group, name, c) for group, name, c in _columns(study)],
        "editable": not study.keys and not seat.entries,
        "doubts": _doubts(seat.result("init")),
        "offered": _offered(study, Study.load(offered)) if offered.is_file() else None,
    }


def show_keys(seat: Seat) -> dict[str, Any]:
    """Show whose keys are there, by which digits, and which secrets are shared with whom."""
    study = seat.study
    if study is None or not seat.role:
        return {"made": False, "known": [], "circles": []}
    own = f"{seat.role.replace('/', '.')}.public.toml"
    made = seat.folder.has_identity
    return {
        "made": made,
        "own": seat.folder.read_identities(seat.role)[0].public.fingerprint if made else "",
        "public": own if (seat.path / own).is_file() else "",
        "known": [
            (role, study.public_keys(role).fingerprint if role in study.keys else "")
            for role in seat.roles
        ],
        "collected": seat.public_files,
        "circles": [
            {
                "kind": circle.kind,
                "members": circle.members,
                "maker": circle.maker,
                "held": seat.folder.has_key(circle.kind),
            }
            for circle in seat.circles
        ],
        "key_letters": seat.arrived(".keys"),
        "backups": sorted(path.name for path in seat.path.glob(f"*{BACKUP}")),
        "restorable": [file.rpartition("/")[2] for file in seat.arrived(BACKUP)],
        "is_analyst": seat.role == ANALYST,
    }


def show_ledger(seat: Seat) -> dict[str, Any]:
    """Show everything that left, the latest first."""
    hidden = ("when", "what", "to", "file", "study", "members", "digest", "draw", "purpose", "by")
    return {
        "entries": [
            {
                "when": str(entry["when"]).replace("T", " ").partition("+")[0],
                "what": entry["what"],
                "to": _names(entry.get("to")),
                "by": entry.get("by", ""),
                "file": entry.get("file", ""),
                "digest": str(entry.get("digest", ""))[:16],
                "more": {k: _short(v) for k, v in entry.items() if k not in hidden},
            }
            for entry in reversed(seat.entries)
        ]
    }


def _doubts(drafted: dict[str, Any] | None) -> list[str]:
    """Return what a person should look at in a draft, as `init` said it."""
    lines = (drafted or {}).get("said", [])
    return [line for line in lines if line.strip() and not line.startswith("next:")]


def _columns(study: Study) -> list[tuple[str, str, Any]]:
    groups = study.grid.columns
    return [(g, name, c) for g in groups for name, c in study.schema_of(g).columns.items()]


def _column(group: str, name: str, column: Any) -> dict[str, Any]:
    """Return the terms of a column as a row of a table, and as fields of a form."""
    terms = column.model_dump(mode="json", exclude_none=True)
    bounds = terms.get("bounds") or [terms.get("first"), terms.get("last")]
    return {
        "group": group,
        "name": name,
        "kind": terms["kind"],
        "low": _plain(bounds[0]),
        "high": _plain(bounds[1]),
        "center": _plain(terms.get("center")),
        "spread": _plain(terms.get("spread")),
        "categories": terms.get("categories", []),
        "missing": terms.get("missing", "refuse"),
        "outside": terms.get("outside"),
    }


def _plain(value: Any) -> Any:
    """Return a number without a fraction it does not have."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _offered(mine: Study, theirs: Study) -> dict[str, Any]:
    """Say how a version that somebody sent differs from the one there is."""
    lines = difference(theirs.terms(), mine.terms())
    new = [name for name in theirs.keys if name not in mine.keys]
    other = [name for name in mine.keys if theirs.keys.get(name) != mine.keys[name]]
    if new:
        lines.insert(0, f"it has the public keys of {', '.join(new)}")
    if other:
        lines.insert(0, f"it has other keys of {', '.join(other)}, or lacks them")
    return {"lines": lines[:MAX_LINES], "fingerprint": theirs.fingerprint, "grave": bool(other)}


def _names(to: Any) -> str:
    return ", ".join(map(str, to)) if isinstance(to, list) else str(to or "")


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
