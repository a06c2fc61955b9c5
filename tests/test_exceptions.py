import pytest

from consilience import exceptions
from consilience.exceptions import ConsilienceError, MissingExtraError


@pytest.mark.parametrize("name", exceptions.__all__)
def test_every_exception_is_in_the_tree(name):
    assert issubclass(getattr(exceptions, name), ConsilienceError)
    assert name in exceptions.__doc__


def test_missing_extra_names_the_command():
    error = MissingExtraError("the peer transport", "pyzmq", "peer")
    assert str(error) == "the peer transport needs pyzmq: pip install 'consilience[peer]'"
    assert isinstance(error, ImportError)
