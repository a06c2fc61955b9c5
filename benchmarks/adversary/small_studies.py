"""Studies small enough to run hundreds of times, as their roles would hold them on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from consilience.study.handout import hand_out_keys
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study

__all__ = ["KINDS", "contribute_command", "private_folder", "small_study", "write_table"]

ROWS = ("north", "south")
TERMS = """name = "a small study"
kind = "{kind}"

[grid]
rows = ["north", "south"]
columns = ["lab"]

[schema.lab]
age = {{kind = "numeric", bounds = [0, 100], outside = "clip"}}
dose = {{kind = "numeric", bounds = [0, 10], outside = "clip"}}
size = {{kind = "numeric", bounds = [0, 200], outside = "clip"}}
{terms}"""

KINDS = {
    "rows": ("clusters", "\n[reduction]\nepsilon = {epsilon}\nbudget = {budget}\n"),
    "counts": (
        "groups",
        '\n[learning]\ntarget = "ill"\nclasses = ["no", "yes"]\nholder = "lab"\n'
        'labels = "distribution"\nthreshold = "gap"\n'
        "epsilon = {epsilon}\nbudget = {budget}\n",
    ),
    "summaries": (
        "summaries",
        "\n[summaries]\nn_clusters = 2\nepsilon = {epsilon}\nbudget = {budget}\n",
    ),
    "stream": ("stream", "\n[stream]\nepsilon = {epsilon}\nbudget = {budget}\n"),
    "no noise": ("clusters", "\n[clustering]\nn_clusters = 2\n"),
}
"""What noise is drawn for: the kind of study, and its terms."""


def small_study(folder: Path, noise: str, epsilon: float = 1.0, budget: float = 3.0) -> Path:
    """Write a study with keys and private folders of all roles; return the study file."""
    kind, terms = KINDS[noise]
    text = TERMS.format(kind=kind, terms=terms.format(epsilon=epsilon, budget=budget))
    folder.mkdir(parents=True)
    path = folder / "study.toml"
    parties = Study.from_text(text).grid.parties
    for role in (ANALYST, *parties):
        public = private_folder(path, role).identity_of(role).public
        text += f'\n[keys."{role}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    path.write_text(text, encoding="utf-8")
    for party, keys in hand_out_keys(Study.load(path)).items():
        for kind, key in keys.items():
            private_folder(path, party).write_key(kind, key)
    for row in ROWS:
        write_table(folder / f"{row}.csv", noise, 0)
    return path


def private_folder(path: Path, role: str) -> PrivateFolder:
    """Return the private folder of a role, beside the study file."""
    return PrivateFolder(path.parent / "private" / role.replace("/", "."))


def write_table(path: Path, noise: str, version: int, n_rows: int = 40) -> None:
    """Write rows of a party; every version has others, of two clusters."""
    rng = np.random.default_rng([version, *path.stem.encode()])
    clusters = np.arange(n_rows) % 2
    values = (25 + 50 * clusters[:, None] + rng.normal(0, 4, (n_rows, 3))) * (1, 0.1, 2)
    table = pd.DataFrame(values.round(2), columns=["age", "dose", "size"])
    if noise == "counts":
        table["ill"] = np.where(np.arange(n_rows) < 5 + version % 30, "yes", "no")
    table["id"] = [f"{path.stem}-{version}-{k}" for k in range(n_rows)]
    table.to_csv(path, index=False)


def contribute_command(
    path: Path, party: str, out: Path, data: Path | None = None
) -> Sequence[str]:
    """Return the command by which a party contributes."""
    data = data or path.parent / f"{party.partition('/')[0]}.csv"
    words = ("contribute", path, "--as", party, "--data", data, "--id", "id", "--out", out, "--yes")
    return [*map(str, words)]
