import numpy as np
import pytest

from benchmarks.attacks import defaults
from benchmarks.attacks.defaults import Deal, default_table, measure_defaults
from benchmarks.tables import Trials
from consilience.collaboration.scene import Terms


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    return 6.0 * y[:, None] + rng.normal(size=(200, 6))


def test_noise_lowers_what_is_rebuilt_and_is_that_of_a_contribution(blobs):
    measured = Trials()
    deal = Deal(blobs, 2, seed=0)
    deal.measure(measured, ("Defaults", "blobs", "plain"), Terms(rotate=True))
    deal.measure(measured, ("Defaults", "blobs", "noisy"), Terms(rotate=True), epsilon=3.0)
    r2 = {s: measured.mean(("Defaults", "blobs", s, "best collusion", "median R2"))
          for s in ("plain", "noisy")}  # fmt: skip
    assert r2["plain"] > r2["noisy"] + 0.2
    assert measured.mean(("Defaults", "blobs", "plain", "collaboration", "ARI with pooled")) == 1


def test_every_set_gets_paper_mode_default_and_noise(monkeypatch, blobs):
    monkeypatch.setattr(defaults, "DEFAULT_SETS", ("blobs",))
    monkeypatch.setattr(defaults, "default_table", lambda name, data: (blobs, 2))
    measured = Trials()
    measure_defaults(measured, None, seed=0)
    settings = set(measured.summary().setting)
    assert {"paper mode", "default", "default, epsilon 100 per row, scaled by bounds"} <= settings


def test_shipped_tables_need_no_folder():
    X, k = default_table("wine", None)
    assert (X.shape, k) == ((178, 13), 3)
