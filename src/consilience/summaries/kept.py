"""What an analyst keeps of its clusters, so that those of the next study have the same names."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from consilience.arrays import from_bytes, to_bytes
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import write_whole
from consilience.study.participant import Participant
from consilience.summaries.succession import Named
from consilience.summaries.units import units_of

__all__ = ["keep_named", "read_named"]

SECRET_MODE = 0o600
NAME_LENGTH = 16


def keep_named(me: Participant, named: Named) -> None:
    """Keep clusters and their names for the next study of the same columns."""
    arrays = {
        "centers": np.ascontiguousarray(units_of(me.study).unscale(named.centers)),
        "names": named.names.astype(np.int64),
        "unused": np.array([named.unused], dtype=np.int64),
    }
    with write_whole(_path(me), SECRET_MODE) as stream:
        stream.write(to_bytes(arrays, {"study": me.study.digest}))


def read_named(me: Participant) -> Named | None:
    """Return the clusters of the last study of the same columns, in the units of this one."""
    path = _path(me)
    if not path.exists():
        return None
    try:
        _, arrays = from_bytes(path.read_bytes())
        centers, names, unused = (arrays[name] for name in ("centers", "names", "unused"))
    except (ArraysError, KeyError):
        raise StudyError(
            f"{path} is damaged: the names of earlier clusters cannot be read. Remove it to name "
            f"clusters anew."
        ) from None
    return Named(units_of(me.study).scale(centers), names, int(unused[0]))


def _path(me: Participant) -> Path:
    """Return where clusters in these columns are kept, whatever the study is called."""
    [column] = me.study.grid.columns
    names = "\n".join(me.study.schema_of(column).feature_names)
    digest = hashlib.sha256(names.encode()).hexdigest()[:NAME_LENGTH]
    return me.folder.path / f"clusters-{digest}.safetensors"
