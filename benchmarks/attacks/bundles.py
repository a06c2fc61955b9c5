"""Rows decoded from the very files that a drafted study lets out, and what the study finds.

    python -m benchmarks.attacks.bundles DATA [SET ...] > benchmarks/results/bundles.csv

Three institutions hold a third of the rows each and do what stewards do: a study is drafted
(``consilience init``; all rows are its example, in the place of public knowledge of the columns),
all contribute, the analyst answers, all label their rows. Then the analyst opens the first
contribution with its own key, gets the column key and rows alike from the second institution, and
decodes. The same with the line ``rounding`` taken out of the draft is *double precision*. Agreement
is with k-means of the pooled rows in the units of the draft; a contribution counts in bytes a row.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

from benchmarks.attacks.rounding import CHOSEN_ON, REPORTED_ON, share_decoded
from benchmarks.problems import Array
from consilience.cli.app import main as run_command
from consilience.collaboration.anchors.keyed import draw_anchor
from consilience.collaboration.roles import category_groups, n_anchor_of
from consilience.collaboration.terms import Reduced
from consilience.datasets import load
from consilience.datasets.patients import patients
from consilience.kmeans import kmeans
from consilience.messages import Contribution
from consilience.metrics import agreement
from consilience.privacy.audits.exact_rows import decode_with_anchor
from consilience.sources.source import Source
from consilience.study.rows import read_rows
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import read_bundle

__all__ = ["ByFiles", "measure", "read"]

INSTITUTIONS = ("first", "second", "third")
MAX_ROWS, N_ATTACKED = 3_000, 300
MAX_TEXTS = 30
"""A column of more texts is left out: no draft takes it for a category."""
SHIPPED = {
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "diabetes": partial(load_diabetes, scaled=False),
}
HEADER = "data,half,columns,kept,sent,bytes a row,ARI with pooled,rows exact"


def read(name: str, data: Path) -> tuple[pd.DataFrame, int]:
    """Return a table by its name, as a steward has it, and the number of its groups."""
    if name == "patients":
        return patients(1_200, random_state=0), 3
    if name in SHIPPED:
        source = SHIPPED[name]()
        frame = pd.DataFrame(source.data).add_prefix("column ")
        n_clusters = len(getattr(source, "target_names", range(3)))
    else:
        dataset = load(name, data=data)
        frame, n_clusters = dataset.frame.dropna(), min(10, len(dataset.class_names))
    numbers = frame.dtypes.map(pd.api.types.is_numeric_dtype)
    frame = frame.loc[:, (frame.nunique() > 1) & (numbers | (frame.nunique() <= MAX_TEXTS))]
    chosen = frame.sample(min(MAX_ROWS, len(frame)), random_state=0)
    return chosen.reset_index(drop=True), n_clusters


class ByFiles:
    """A study by files in a folder.

    Parameters
    ----------
    table : DataFrame
    n_clusters : int
    folder : Path
        Empty.
    rounded : bool
        Whether what leaves is rounded, as drafts say.
    """

    def __init__(
        self, table: pd.DataFrame, n_clusters: int, folder: Path, rounded: bool = True
    ) -> None:
        self.folder, self.table = folder, table
        self.path = folder / "study.toml"
        order = np.random.default_rng(0).permutation(len(table))
        self.rows = dict(zip(INSTITUTIONS, np.array_split(order, 3), strict=True))
        self.ids = np.array([f"P{row:06d}" for row in range(len(table))])
        everyone = {"example": np.arange(len(table))}
        for name, rows in (self.rows | everyone).items():
            part = table.iloc[rows].copy()
            part.insert(0, "id", self.ids[rows])
            part.to_csv(folder / f"{name}.csv", index=False)
        self._draft(n_clusters, rounded)
        self.study = Study.load(self.path)

    def _draft(self, n_clusters: int, rounded: bool) -> None:
        grid = ["--rows", ",".join(INSTITUTIONS), "--columns", "all", "--for", "clusters"]
        example = ["--from", f"all={self.folder / 'example.csv'}", "--clusters", n_clusters]
        _run("init", *grid, *example, "--with-keys", "--out", self.folder)
        text = self.path.read_text(encoding="utf-8")
        if not rounded:
            text = re.sub(r"(?m)^rounding = .*$", "", text)
        self.path.write_text(text, encoding="utf-8")
        for role in (ANALYST, *(f"{name}/all" for name in INSTITUTIONS)):
            _run("keygen", "--name", role, "--study", self.path)

    def contribute(self) -> None:
        """Let what leaves leave, whatever the audit says."""
        for name in INSTITUTIONS:
            decided = ["--yes", "--override", "a measurement", "--out", self.folder]
            _run("contribute", self.path, *self._own(name), *decided)

    def label(self) -> npt.NDArray[np.int64]:
        """Let the analyst answer and every institution label its rows; return all labels."""
        sent = sorted(self.folder.glob("*.contribution"))
        _run("analyse", self.path, *sent, "--out", self.folder)
        found: dict[str, int] = {}
        for name in INSTITUTIONS:
            out = self.folder / f"{name}.labels.csv"
            answer = self.folder / f"{name}.all.answer"
            _run("label", self.path, answer, *self._own(name), "--out", out)
            labels = pd.read_csv(out, dtype={"id": str})
            found |= dict(zip(labels["id"], labels["cluster"], strict=True))
        return np.array([found[name] for name in self.ids])

    def pooled(self, n_clusters: int) -> npt.NDArray[np.int64]:
        """Return the clusters of all rows in the units of the study."""
        schema = self.study.schema_of("all")
        lower, upper = schema.ranges
        X = schema.encode(self.table).matrix
        return kmeans(X / (upper - lower), n_clusters, 0)[0]

    def decode(self) -> float:
        """Return the share of the first institution's rows that analyst and second decode."""
        analyst = PrivateFolder(self.folder / "private" / ANALYST).read_identity(ANALYST)
        path = self.folder / "first.all.contribution"
        sent, _ = read_bundle(path, study=self.study, identity=analyst)
        assert isinstance(sent, Contribution)
        X, like = self._rows("first"), self._rows("second")
        method, schema = self.study.of(Reduced), self.study.schema_of("all")
        key = self.study.own_key(self._private("second").read_key("column"))
        ranges, n_anchor = method.ranges(self.study, "all"), n_anchor_of(self.study)
        anchor = draw_anchor(method.anchor.kind, key, *ranges, n_anchor)
        found = decode_with_anchor(
            anchor,
            sent.anchor_rows,
            sent.rows[:N_ATTACKED],
            schema.bounds,
            like,
            category_groups(schema),
        )
        return share_decoded(X[:N_ATTACKED], found)

    @property
    def bytes_a_row(self) -> float:
        """Size of the first contribution by its rows."""
        size = (self.folder / "first.all.contribution").stat().st_size
        return size / len(self.rows["first"])

    def _rows(self, name: str) -> Array:
        """Return the rows of an institution as it sends them, in the order of their pseudonyms."""
        source, key = Source(self.folder / f"{name}.csv", "id"), self._private(name).read_key("row")
        return read_rows(self.study, f"{name}/all", source, key).matrix

    def _private(self, name: str) -> PrivateFolder:
        return PrivateFolder(self.folder / "private" / f"{name}.all")

    def _own(self, name: str) -> list[object]:
        return ["--as", f"{name}/all", "--data", self.folder / f"{name}.csv"]


def _run(*arguments: object) -> None:
    """Run a command, quietly; one that fails ends the measurement."""
    before, sys.argv = sys.argv, ["consilience", *map(str, arguments)]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            run_command()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(said.getvalue()) from None
    finally:
        sys.argv = before


def measure(name: str, data: Path) -> Iterator[str]:
    """Yield a row of the result for a study as drafted, and for one in double precision."""
    table, n_clusters = read(name, data)
    for sent, rounded in (("double precision", False), ("as drafted", True)):
        with tempfile.TemporaryDirectory() as folder:
            study = ByFiles(table, n_clusters, Path(folder), rounded)
            study.contribute()
            agreed = agreement(study.label(), study.pooled(n_clusters))
            kept = study.study.of(Reduced).n_components(study.study, "all")
            yield (
                f"{name},{'chosen on' if name in CHOSEN_ON else 'reported on'},"
                f"{len(table.columns)},{kept},{sent},{study.bytes_a_row:.0f},{agreed:.3f},"
                f"{study.decode():.3f}"
            )


def main(data: str, *sets: str) -> None:
    """Measure and print, row by row."""
    print(HEADER)
    for name in sets or CHOSEN_ON + REPORTED_ON:
        for line in measure(name, Path(data)):
            print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
