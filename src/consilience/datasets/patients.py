"""Synthetic patients: a clinical table as clinics keep them, rounded numbers and flags."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["patients"]

HIV_SHARE = 0.03
"""Of all patients, rounded to whole ones."""


def patients(n: int = 400, *, random_state: int | None = None) -> pd.DataFrame:
    """Draw a table of 15 columns: ages, measurements in the digits a laboratory prints, and flags.

    Parameters
    ----------
    n : int
        Rows; of 100 patients 3 are HIV positive.
    random_state : int, optional

    Returns
    -------
    DataFrame of shape (n, 15)

    Examples
    --------
    >>> table = patients(400, random_state=0)
    >>> table.shape, int(table["hiv"].sum())
    ((400, 15), 12)
    """
    rng = np.random.default_rng(random_state)
    age = np.clip(rng.normal(52, 17, n), 18, 95).round()
    male = rng.integers(0, 2, n).astype(float)
    bmi = np.clip(rng.normal(24 + 0.03 * age, 4.5), 15, 50).round(1)
    systolic = np.clip(rng.normal(95 + 0.5 * age, 14), 80, 220).round()
    glucose = np.clip(rng.lognormal(4.5 + 0.01 * (bmi - 25), 0.2), 60, 400).round()
    hiv = rng.permutation(n) < round(HIV_SHARE * n)
    return pd.DataFrame(
        {
            "age": age,
            "male": male,
            "bmi": bmi,
            "systolic": systolic,
            "diastolic": np.clip(rng.normal(18 + 0.5 * systolic, 7), 40, 130).round(),
            "glucose": glucose,
            "hba1c": np.clip(rng.normal(4 + 0.012 * glucose, 0.4), 4, 14).round(1),
            "cholesterol": np.clip(rng.normal(195, 38, n), 90, 400).round(),
            "creatinine": np.clip(rng.lognormal(-0.1, 0.25, n), 0.3, 8).round(2),
            "haemoglobin": np.clip(rng.normal(13.5 + male, 1.4), 6, 19).round(1),
            "leukocytes": np.clip(rng.lognormal(1.95, 0.3, n), 1.5, 40).round(1),
            "platelets": np.clip(rng.normal(250, 65, n), 20, 800).round(),
            "smoker": (rng.random(n) < 0.25).astype(float),
            "diabetes": (glucose > 126).astype(float),
            "hiv": hiv.astype(float),
        }
    )
