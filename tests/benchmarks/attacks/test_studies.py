import numpy as np
import pandas as pd

from benchmarks.attacks.studies import _encode
from consilience.collaboration.audit.scene import Setting


def test_victim_and_colluder_hold_a_third_each(make_study):
    study = make_study(90, 4)
    scene = study.scene(Setting(n_components=2), seed=0)
    assert scene.rows.shape == scene.like.shape == (30, 4)
    assert len(scene.anchor_representations) == 3
    assert study.scene(Setting(), 0, np.array([0, 2])).rows.shape == (30, 2)


def test_categories_and_missing_values_get_columns_of_their_own():
    frame = pd.DataFrame({"age": [10.0, 30.0, 20.0], "education": list("abc")})
    X = _encode(frame.assign(job=["x", "y", None]))
    assert X.shape == (3, 4)
    assert X[:, 0].tolist() == [0.0, 1.0, 0.5]
