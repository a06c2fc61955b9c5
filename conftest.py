"""One rule for every test: what needs an extra is skipped where the extra is not installed."""

import os
from doctest import UnexpectedException
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import pytest

# Before numpy comes: threads of a parent do not survive in the processes that tests fork.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from consilience.exceptions import MissingExtraError

# Files that are written in the words of a library cannot be read without it.
NET = ("box/client.py", "box/listening.py", "box/server.py")
if find_spec("uvicorn") is None or find_spec("starlette") is None or find_spec("httpx") is None:
    collect_ignore = [f"src/consilience/carriers/letter_{name}" for name in NET]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Turn the error that names an extra into a skip that names it, if it is truly missing."""
    try:
        return (yield)
    except (MissingExtraError, UnexpectedException) as raised:
        error = raised.exc_info[1] if isinstance(raised, UnexpectedException) else raised
        if isinstance(error, MissingExtraError) and not _installed(error.package):
            pytest.skip(str(error))
        raise


def _installed(package):
    """Look for a package by either of its names: pyzmq is imported as zmq."""
    try:
        return bool(find_spec(package.replace("-", "_")) or version(package))
    except PackageNotFoundError:
        return False
