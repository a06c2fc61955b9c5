"""The campaign against a letter box: nothing is found here, and what is wrong is told."""

import asyncio
import random

import pytest

pytest.importorskip("uvicorn")

from benchmarks.adversary import letter_box
from consilience.carriers.letter_box.guard import Guard
from consilience.carriers.letter_box.page import StudyPage


def test_a_share_of_it_finds_nothing():
    found = list(letter_box.attempt(0.01, 1))
    assert len(found) == 3
    assert not sum(tried.failures for tried in found)


def test_a_guard_that_lets_everybody_read_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(Guard, "may_read", lambda *_: True)
    hostile = letter_box._Hostile(tmp_path, random.Random(0))
    assert asyncio.run(hostile.ask(4000)) > 0


def test_a_guard_that_lets_everybody_write_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(Guard, "check_write", lambda *_: None)
    hostile = letter_box._Hostile(tmp_path, random.Random(0))
    asyncio.run(hostile.ask(1000))
    assert hostile.written() > 0


def test_a_guard_that_shows_everybody_the_page_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(Guard, "admit", lambda *_: "north/lab")
    monkeypatch.setattr(StudyPage, "events", StudyPage.style)  # which would never end
    hostile = letter_box._Hostile(tmp_path, random.Random(0))
    assert asyncio.run(hostile.ask(1000)) > 0
