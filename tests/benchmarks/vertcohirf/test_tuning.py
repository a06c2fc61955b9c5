from benchmarks.vertcohirf.tuning import search


def test_whole_numbers_stay_whole_and_every_trial_has_its_seed():
    seen = []

    def evaluate(p, seed):
        seen.append((p["k"], seed))
        return p["share"]

    tried = search(evaluate, {"k": (2, 5), "share": (0.0, 1.0)}, 12, 0)
    assert len({seed for _, seed in seen}) == len(tried) == 12
    assert all(isinstance(k, int) and 2 <= k <= 5 for k, _ in seen)
    scores = [t.score for t in tried]
    assert scores == sorted(scores, reverse=True)
    assert scores == [t.parameters["share"] for t in tried]


def test_failed_trials_count_and_may_be_all():
    asked = []
    assert search(lambda p, seed: asked.append(1) or float("nan"), {"k": (1, 2)}, 3, 0) == []
    assert len(asked) == 3
