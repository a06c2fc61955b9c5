"""A job of NVFlare as files: which parts run where, and who is at which site."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from consilience.exceptions import StudyError
from consilience.study.files import write_whole
from consilience.study.study import ANALYST, Study

__all__ = ["roles_of_sites", "write_job"]

PARTS = "consilience.carriers.flare.components"
FORMAT = 2


def roles_of_sites(study: Study, pairs: Sequence[str]) -> dict[str, list[str]]:
    """Read ``SITE=ROLE`` pairs; every role of the study must be somewhere, and once.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> roles_of_sites(study, ["site-1=north/lab", "office=analyst"])
    {'site-1': ['north/lab'], 'office': ['analyst']}
    """
    analyst = [ANALYST] if study.method.senders_to(ANALYST, study) else []
    expected = [*analyst, *study.grid.parties]
    sites: dict[str, list[str]] = {}
    for pair in pairs:
        site, _, role = pair.partition("=")
        if not site or role not in expected:
            raise StudyError(
                f"--site is {pair!r}, must be SITE=ROLE with a role of the study: "
                f"{', '.join(expected)}."
            )
        sites.setdefault(site, []).append(role)
    found = [role for roles in sites.values() for role in roles]
    missing = [role for role in expected if role not in found]
    if missing:
        raise StudyError(f"no site has {', '.join(missing)}. Add --site SITE=ROLE for each.")
    if len(set(found)) < len(found):
        raise StudyError("a role is at two sites: name each once.")
    return sites


def write_job(folder: Path, name: str, sites: Mapping[str, Sequence[str]], minutes: float) -> None:
    """Write the folder of a job, as ``nvflare job submit`` takes it."""
    given = {"sites": sites, "minutes": minutes}
    server = {
        "format_version": FORMAT,
        "workflows": [{"id": "post", "path": f"{PARTS}.PostOffice", "args": given}],
        "components": [],
    }
    client = {
        "format_version": FORMAT,
        "executors": [
            {"tasks": ["*"], "executor": {"path": f"{PARTS}.Postman", "args": given}},
        ],
        "components": [],
    }
    meta = {
        "name": name,
        "resource_spec": {},
        "deploy_map": {"app": ["@ALL"]},
        "min_clients": 1,
        "mandatory_clients": [],
    }
    files: dict[str, Any] = {
        "meta.json": meta,
        "app/config/config_fed_server.json": server,
        "app/config/config_fed_client.json": client,
    }
    for path, content in files.items():
        with write_whole(folder / path) as stream:
            stream.write(f"{json.dumps(content, indent=2)}\n".encode())
