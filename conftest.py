"""One rule for every test: what needs an extra is skipped where the extra is not installed."""

import os
import sys
from doctest import UnexpectedException
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import pytest

# Before numpy comes: threads of a parent do not survive in the processes that tests fork.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from consilience.exceptions import MissingExtraError

OPTIONAL = {
    "acro": "dev",
    "anyio": "net",
    "bagit": "dev",
    "google": "dev",
    "httpx": "net",
    "numba": "fast",
    "nvflare": "nvflare",
    "psutil": "scale",
    "rocrate": "dev",
    "safetensors": "dev",
    "securesystemslib": "dev",
    "starlette": "net",
    "uvicorn": "net",
}
"""What tests and benchmarks import by name, and the extra that brings it."""

unread = set()
"""Files that could not be read for want of an extra; others that import them cannot be either."""


def why_missing(error):
    """Say which extra is missing, if an error or one that it came from is due to that."""
    while error is not None:
        if isinstance(error, UnexpectedException):
            error = error.exc_info[1]
        if isinstance(error, MissingExtraError) and not _installed(error.package):
            return str(error)
        if isinstance(error, ModuleNotFoundError):
            package = str(error.name).partition(".")[0]
            if package in OPTIONAL and find_spec(package) is None:
                return f"needs {package}: extra {OPTIONAL[package]!r}"
        if isinstance(error, ImportError) and error.path in unread:
            return "needs a file that needs an extra"
        error = error.__cause__ or error.__context__
    return None


def skip_or_raise(error):
    """Skip what an error is of, if an extra is missing for it."""
    if reason := why_missing(error):
        pytest.skip(reason, allow_module_level=True)
    raise error


def forget(path):
    """Take out of memory what was read of a file that could not be read to its end.

    Whoever imports it later finds the same cause, not a module without most of its names.
    """
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(path):
            del sys.modules[name]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Skip a file that is written in the words of a library that is not there."""
    if isinstance(collector, pytest.File):
        collect = collector.collect

        def collect_or_skip():
            try:
                return list(collect())
            except Exception as error:
                unread.add(str(collector.path))
                forget(collector.path)
                skip_or_raise(error)

        collector.collect = collect_or_skip
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    """Skip a test whose fixtures need an extra that is not installed."""
    try:
        return (yield)
    except Exception as error:
        skip_or_raise(error)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Skip a test that needs an extra that is not installed, and say which."""
    try:
        return (yield)
    except Exception as error:
        skip_or_raise(error)


def _installed(package):
    """Look for a package by either of its names: pyzmq is imported as zmq."""
    try:
        return bool(find_spec(package.replace("-", "_")) or version(package))
    except PackageNotFoundError:
        return False
