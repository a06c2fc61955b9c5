"""A shelf in memory."""

import threading
import time

import pytest

from consilience.carriers.in_process import Memory
from consilience.exceptions import CarrierError


def test_rest_ends_when_something_is_written():
    shelf = Memory()
    begun, ended = time.monotonic(), []
    waiting = threading.Thread(target=lambda: (shelf.rest(60), ended.append(time.monotonic())))
    waiting.start()
    while waiting.is_alive():
        shelf.write("a/b", b"new")
    assert ended[0] - begun < 30


def test_what_is_not_there_is_refused():
    with pytest.raises(CarrierError):
        Memory().read("a/b")
