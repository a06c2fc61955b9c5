import numpy as np

from consilience.collaboration.audit.links import link_rows
from consilience.collaboration.audit.scene import Setting, set_scene


def findings(**given):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6))
    terms = Setting(**given)
    scenes = [set_scene(X, (X.min(axis=0), X.max(axis=0)), terms, rng) for _ in range(2)]
    return {f.attack: f for f in link_rows(terms, scenes)}


def test_order_of_the_table_names_its_rows_unless_shuffled():
    assert findings(shuffled=False)["order"].top1.mean == 1
    assert findings(shuffled=True)["order"].top1.mean < 0.1


def test_exact_register_is_an_upper_bound_and_links_everybody():
    found = findings(n_components=2)["linkage, exact register"]
    assert found.upper_bound
    assert found.top1.mean == 1
    assert found.control_top1.mean < 0.2


def test_fewer_dimensions_link_fewer_rows_to_half_a_register():
    few, many = findings(n_components=1)["linkage"], findings(n_components=5)["linkage"]
    assert few.top1.mean < many.top1.mean


def test_any_holder_of_the_anchor_will_do_for_an_exact_register_and_says_so():
    found = findings(anchor_scope="all")
    assert "any one party of the study" in found["linkage, exact register"].coalition
    assert "any one party" not in findings()["linkage, exact register"].coalition
    # Half a register is filled in by rows alike, which only a party of the same columns has.
    assert "one party with the same columns" in found["linkage"].coalition
    assert "rows like yours" in found["linkage"].holds
