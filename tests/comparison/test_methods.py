import numpy as np
import pytest

from consilience.comparison.methods import METHODS
from consilience.comparison.split import deal

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 4)) + np.repeat(RNG.normal(scale=6, size=(3, 4)), 80, axis=0)
SPLITS = {
    "rows": (np.arange(240) % 3, None),
    "columns": (None, [[0, 1], [2, 3]]),
    "both": (np.arange(240) % 3, [[0, 1], [2, 3]]),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("split_by", SPLITS)
def test_every_method_says_what_every_institution_sent(name, split_by):
    method = METHODS[name]
    if split_by not in method.splits:
        return
    if name in ("summaries, epsilon 1", "stream, epsilon 1"):
        pytest.importorskip("opendp", reason="noise needs the extra dp")
    split = deal(X, *SPLITS[split_by], 3, 0)
    found = method.run(split)
    assert sum(len(rows) for rows, _ in found.parts) % 240 == 0
    cells = [np.ix_(h.rows, h.columns) for h in found.held]
    covered = np.zeros(X.shape, dtype=bool)
    for cell in cells:
        covered[cell] = True
    assert covered.all()
    assert all(h.sent.n_bytes > 0 for h in found.held) == (name != "alone")
