"""``consilience nvflare job``: a job that carries the sealed files of a study between sites."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from consilience.carriers.flare.job import roles_of_sites, write_job
from consilience.cli.shared.console import tell, tell_next
from consilience.cli.shared.options import Out, StudyFile, output_folder
from consilience.study.study import Study

__all__ = ["nvflare"]


def nvflare(
    what: Annotated[Literal["job"], typer.Argument(metavar="job", help="Write a job.")],
    path: StudyFile,
    sites: Annotated[
        list[str],
        typer.Option("--site", metavar="SITE=ROLE", help="Who is at which site; repeatable."),
    ],
    minutes: Annotated[
        float, typer.Option(min=0.1, help="How long the job carries; submit it again to go on.")
    ] = 60.0,
    out: Out = Path("consilience-job"),
) -> None:
    """Write a job of NVFlare that carries the sealed files of a study between its sites.

    For consortia that run NVFlare already (extra nvflare, at the server and at every site). The job
    needs no code of its own and reads no data: at every site it brings what lies in one folder for
    roles of other sites to theirs. The folder is named by CONSILIENCE_POST in the environment of
    the site's NVFlare client, or is consilience-post in its workspace. Everybody takes part by
    `consilience join FOLDER`, which audits, asks and seals as always; the server of the consortium
    sees who sends to whom and how much, and can open nothing.

    Example: `consilience nvflare job study.toml --site site-1=hospital-a/clinical --site
    office=analyst`
    """
    study = Study.load(path)
    folder = output_folder(out)
    write_job(folder, f"consilience {study.name}", roles_of_sites(study, sites), minutes)
    tell(f"wrote {folder}")
    tell_next(
        f"submit it by nvflare job submit -j {folder}; at each site, run consilience join on the "
        f"folder that CONSILIENCE_POST names"
    )
