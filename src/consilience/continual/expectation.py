"""What is left of a clustering under noise: measured values, shown before a party sends."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files
from math import inf

__all__ = ["Measurement", "expect", "measurements"]

N_FEATURES = {"pendigits": 16, "phoneme": 5}


@dataclass(frozen=True)
class Measurement:
    """One run of the benchmark.

    Parameters
    ----------
    data : str
        The data set.
    n_features : int
    epsilon : float
        Per record; infinite without noise.
    noise : float
        Scale of the noise as a fraction of the range of a feature, n_features / epsilon.
    ari, ari_without : float
        Adjusted Rand index with the true classes, with this noise and without any.
    """

    data: str
    n_features: int
    epsilon: float
    noise: float
    ari: float
    ari_without: float

    @property
    def lost(self) -> float:
        """ARI lost to the noise; negative where the noisy run happened to be the better one."""
        return self.ari_without - self.ari


def measurements() -> list[Measurement]:
    """Return what was measured, by data set and epsilon.

    Notes
    -----
    ``measured.csv`` is a copy of columns of ``benchmarks/results/fcac-privacy.csv``, which
    ``consilience bench fcac`` writes. ``UPDATE_DOCS=1 pytest tests/continual/test_expectation.py``
    copies it anew. One trial each, ten parties, at most 2,000 rows: the values scatter.
    """
    text = files("consilience.continual").joinpath("measured.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    without = {
        row["data"]: float(row["ARI"]) for row in rows if float(row["epsilon per record"]) == inf
    }
    return [
        Measurement(
            row["data"],
            N_FEATURES[row["data"]],
            float(row["epsilon per record"]),
            float(row["noise / range"]),
            float(row["ARI"]),
            without[row["data"]],
        )
        for row in rows
    ]


def expect(epsilon: float, n_features: int) -> list[Measurement]:
    """Return for each data set the measured noise next above and next below that of a study.

    The same epsilon per record is more noise on each value the more features share it, so what
    is alike is the noise on a value, n_features / epsilon. Nothing is interpolated; beyond what
    was measured, only the nearest measurement is there.

    Parameters
    ----------
    epsilon : float
        Per record and window, > 0.
    n_features : int

    Examples
    --------
    >>> [(m.data, m.epsilon) for m in expect(200.0, 16)]
    [('pendigits', 100.0), ('pendigits', 500.0), ('phoneme', 50.0), ('phoneme', 100.0)]
    """
    noise = n_features / epsilon
    found = []
    for data in dict.fromkeys(m.data for m in measurements()):
        noisy = [m for m in measurements() if m.data == data and m.epsilon < inf]
        above = [m for m in noisy if m.noise >= noise]
        below = [m for m in noisy if m.noise <= noise]
        nearest = [min(above, key=lambda m: m.noise)] if above else []
        nearest += [max(below, key=lambda m: m.noise)] if below else []
        found += list(dict.fromkeys(nearest))
    return found
