"""Spectral clustering of landmarks against that of all rows.

    python -m benchmarks.speed.landmarks

Seconds: two moons in nine dimensions (seven of them noise), 10,000 to a million rows; of all rows
to 100,000. Agreement: data sets with classes, standardised, as many clusters as classes, ten
neighbours, the adjusted Rand index with the classes; how landmarks are found was chosen on three
sets and is reported on eight others, of which three have more than the 10,000 rows up to which
there are no landmarks. One thread, CPU seconds, each in a fresh process. Results go to
benchmarks/results/speed-landmarks.csv.
"""

from __future__ import annotations

import json
import sys
import time

from benchmarks.speed.fresh import in_fresh_processes, record

CHOSEN_ON = ("optdigits", "dry_bean", "mfeat-factors")
"""On these landmarks were found to begin better at random rows than at rows far from each other."""
SMALL = ("rice", "waveform-5000", "phoneme", "banknote", "wall-robot-navigation")
REPORTED = (*SMALL, "pendigits", "mozilla4", "magic")
SETS = CHOSEN_ON + REPORTED
ROWS = (10_000, 100_000, 1_000_000)
MAX_EXACT = 100_000


def make_moons(n: int):
    """Draw two moons in a plane, and seven columns of noise."""
    import numpy as np
    from sklearn.datasets import make_moons as draw

    plane, y = draw(n, noise=0.08, random_state=0)
    return np.hstack([plane, np.random.default_rng(0).normal(scale=0.08, size=(n, 7))]), y


def measure(what: str, n: int) -> dict[str, float]:
    """Cluster once."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score
    from sklearn.preprocessing import StandardScaler

    from consilience.collaboration.clustering import cluster
    from consilience.datasets import load

    method, _, name = what.partition(", ")
    if name == "moons":
        X, y = make_moons(n)
    else:
        data = load(name)
        X, y = StandardScaler().fit_transform(data.X), data.y
    cluster(X[:300].copy(), method, 2, seed=0)
    start = time.process_time()
    labels = cluster(X.copy(), method, len(np.unique(y)), seed=0).labels
    seconds = time.process_time() - start
    return {"cpu_seconds": seconds, "ari": float(adjusted_rand_score(y, labels)), "n": len(X)}


def main() -> None:
    """Measure, print the differences and record."""
    plan = [(f"{method}, {name}", 0) for name in SETS for method in ("spectral", "landmarks")]
    plan += [("landmarks, moons", n) for n in ROWS]
    plan += [("spectral, moons", n) for n in ROWS if n <= MAX_EXACT]
    frame = in_fresh_processes("benchmarks.speed.landmarks", plan)
    frame["rows"] = frame.pop("n").astype(int)
    record(frame, "landmarks")
    ari = frame.set_index("what")["ari"]
    for name in SETS:
        exact, ours = ari[f"spectral, {name}"], ari[f"landmarks, {name}"]
        print(f"{name}: {exact:.3f} of all rows, {ours:.3f} of landmarks, {ours - exact:+.3f}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
