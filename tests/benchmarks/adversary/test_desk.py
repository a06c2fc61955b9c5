"""The campaign against a desk: what it looks for is found where it is planted."""

import random

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

import jinja2

from benchmarks.adversary import desk
from consilience.desk.guard import Guard


def test_a_guard_that_lets_everybody_in_is_found(tmp_path, monkeypatch):
    async def pass_all(self, request):
        request.scope["form"] = {"role": "analyst"}

    scene = desk.Scene(tmp_path)
    monkeypatch.setattr(Guard, "_answer", pass_all)
    rng = random.Random(0)
    assert sum(scene.knock(rng) for _ in range(20)) > 0


def test_a_page_that_escapes_nothing_is_found(tmp_path):
    scene = desk.Scene(tmp_path)
    environment = scene.guard.app.routes[0].endpoint.__self__.pages._environment
    assert isinstance(environment, jinja2.Environment)
    environment.autoescape = False
    environment.cache.clear()
    rng = random.Random(0)
    assert sum(scene.give(rng) for _ in range(60)) > 0
