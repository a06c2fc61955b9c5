from sklearn.datasets import load_wine

from consilience.collaboration.audit import audit_collaboration
from consilience.collaboration.defaults import advised_terms, paper_terms


def test_advised_terms_let_a_coalition_rebuild_less_than_the_papers():
    X = load_wine().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    bounds = X.min(axis=0), X.max(axis=0)
    ours, theirs = (
        audit_collaboration(X, bounds, terms, quick=True, seed=0).reconstruction
        for terms in (advised_terms(13), paper_terms(13, len(X)))
    )
    assert ours < theirs - 0.1
