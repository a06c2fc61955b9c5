"""Two facts about the consensus, measured: how long a veto lasts, and rows split as well.

    CONSILIENCE_DATA=DIR python -m benchmarks.vertcohirf.consensus

*veto*: of the pairs of rows that end in one cluster, the share that some peer had separated in the
first iteration. *hybrid*: agreement (ARI) of the consensus of rows held by several institutions
with that of the same rows held by one, and of both with the classes. Results go to
benchmarks/results/consensus.csv.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from consilience import ConsensusClustering, HybridConsensusClustering
from consilience.datasets import load, multimodal, split_columns, split_rows

N_ROWS, SEEDS, N_PARTIES = 2_000, range(3), 5


def tables(seed: int) -> Iterator[tuple[str, Any, Any, list[Any], list[Any]]]:
    """Yield (name, X, y, columns of the peers, bases)."""
    X, y = multimodal(random_state=seed)
    yield "multimodal", X, y, [[0, 1, 2], [3, 4]], [DBSCAN(eps=2.0), KMeans(3)]
    for name, k in (("pendigits", 10), ("dry_bean", 7), ("rice", 2)):
        data = load(name)
        rows = np.random.default_rng(seed).choice(len(data.y), min(N_ROWS, len(data.y)), False)
        X = StandardScaler().fit_transform(data.X[rows])
        columns = split_columns(X.shape[1], 2, random_state=seed)
        yield name, X, data.y[rows], columns, [KMeans(k)] * 2


def merged_though_separated(model: ConsensusClustering) -> float:
    """Return the share of finally merged pairs that were apart after the first iteration."""
    first, last = model.hierarchy_.cut(1), model.labels_
    pairs = sum(n * (n - 1) / 2 for n in np.bincount(last))
    kept = sum(n * (n - 1) / 2 for n in np.bincount(first))
    return 1 - kept / pairs if pairs else 0.0


def main() -> None:
    """Measure, print and write."""
    rows = []
    for seed in SEEDS:
        for name, X, y, columns, bases in tables(seed):
            whole = ConsensusClustering(
                bases, columns=columns, profile="paper", random_state=seed
            ).fit(X)
            truth = adjusted_rand_score(y, whole.labels_)
            row = {"data": name, "seed": seed, "n_rows": len(X), "clusters": whole.n_clusters_}
            rows.append({**row, "what": "veto", "value": merged_though_separated(whole)})
            rows.append({**row, "what": "rows at one institution, ARI", "value": truth})
            for how in ("iid", "dirichlet"):
                parties = split_rows(len(X), N_PARTIES, how=how, y=y, random_state=seed)
                for kept, label in ((None, "all dimensions"), (1, "one dimension less")):
                    components = None
                    if kept:
                        components = [max(1, len(c) - 1) for c in columns]
                    model = HybridConsensusClustering(
                        bases,
                        columns=columns,
                        n_components=components,
                        profile="paper",
                        random_state=seed,
                    ).fit(X, parties=parties)
                    what = f"hybrid, {how} rows, {label}"
                    agree = adjusted_rand_score(whole.labels_, model.labels_)
                    against = adjusted_rand_score(y, model.labels_)
                    rows.append({**row, "what": f"{what}, agreement", "value": agree})
                    rows.append({**row, "what": f"{what}, ARI", "value": against})
    frame = pd.DataFrame(rows)
    print(frame.pivot_table(index="what", columns="data", values="value").round(3).to_string())
    out = Path(__file__).parents[1] / "results" / "consensus.csv"
    frame.to_csv(out, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
