import pytest

from consilience.consensus.protocol.terms import Terms


def test_names_are_put_in_order():
    assert Terms(("c", "a", "b")).peers == ("a", "b", "c")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"peers": ()}, "at least one name"),
        ({"peers": ("a", "a")}, "each once"),
        ({"peers": ("a,b",)}, "no comma"),
        ({"seed": -1}, "seed == -1"),
        ({"when_absent": "shrug"}, "when_absent == 'shrug'"),
        ({"when_guarded": "shrug"}, "when_guarded == 'shrug'"),
        ({"max_labels": 0}, "max_labels == 0"),
    ],
)
def test_bad_terms_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        Terms(**{"peers": ("a", "b"), **changes})
