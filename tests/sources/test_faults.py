import pytest

from consilience.exceptions import TableError
from consilience.sources.faults import Fault, refuse


def test_all_that_is_refused_is_said_at_once():
    faults = [
        Fault("2 missing values", 2, "Fill them.", "age"),
        Fault("1 values, set to the nearest bound", 1, "", "pulse", refused=False),
        Fault("3 lines have more cells than the header", 3, "Use quotes."),
    ]
    with pytest.raises(TableError) as caught:
        refuse(faults)
    said = str(caught.value)
    assert "column 'age' has 2 missing values. Fill them." in said
    assert "3 lines have more cells than the header. Use quotes." in said
    assert "pulse" not in said


def test_what_is_merely_told_refuses_nothing():
    refuse([Fault("something", 1, refused=False)])
