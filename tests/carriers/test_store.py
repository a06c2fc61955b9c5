"""Stores: their folders, their faults, and what is shown of their addresses."""

import pytest

from consilience.carriers import store
from consilience.carriers.store import Store
from consilience.exceptions import CarrierError, MissingExtraError

pytest.importorskip("fsspec")


def test_a_store_that_does_not_answer_is_named_without_its_password(monkeypatch):
    monkeypatch.setattr(store, "FIRST_PAUSE", 0.001)
    with pytest.raises(CarrierError) as refused:
        Store("sftp://user:geheim@127.0.0.1:1/study").find()
    assert "sftp://127.0.0.1/study" in str(refused.value)
    assert "geheim" not in str(refused.value)


def test_an_unknown_scheme_is_refused():
    with pytest.raises(CarrierError, match="no address of a store"):
        Store("pigeon://loft/study")


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sshfs", None)
    with pytest.raises(MissingExtraError, match=r"sshfs.*consilience\[store\]"):
        Store("sftp://127.0.0.1/study")


def test_a_connection_that_broke_is_made_again(open_shelf, monkeypatch):
    monkeypatch.setattr(store, "FIRST_PAUSE", 0.001)
    shelf = open_shelf("store")
    shelf.write("a/b", b"here")
    broken = shelf._files
    monkeypatch.setattr(broken, "cat_file", lambda path: (_ for _ in ()).throw(OSError("cut")))
    assert shelf.read("a/b") == b"here"


def test_a_file_that_is_not_there_is_refused_at_once(open_shelf):
    with pytest.raises(CarrierError, match="lacks a file"):
        open_shelf("store").read("a/b")
