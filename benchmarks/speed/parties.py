"""Many row institutions: CPU seconds and memory of each role, in process and by files.

    python -m benchmarks.speed.parties                # every role with 10, 100 and 1,000
    python -m benchmarks.speed.parties analyse label  # these roles anew; the others stay
    python -m benchmarks.speed.parties clusters 300   # one figure, printed and not recorded

``clusters``, ``classes`` and ``groups`` are the estimators, 40 rows an institution, 12 columns, ten
clusters or a hundred classes. ``contribute``, ``analyse`` and ``label`` are the commands, of one
party and of the analyst with the contributions of all, which are written beforehand by the roles
without their audits; of these ``written_mb`` is what lies in the folder they write to afterwards.
Each in a process of its own with one thread. Results go to benchmarks/results/speed-parties.csv;
what a figure grows by from one size to the next stands there, too: 1 is linear.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed.fresh import ROOT, forget_peak, in_fresh_processes, memory, record

ROWS, COLUMNS, CLUSTERS, CLASSES = 40, 12, 10, 100
SIZES = (10, 100, 1000)
ESTIMATORS = ("clusters", "classes", "groups")
COMMANDS = ("contribute", "analyse", "label")
WRITES = {"contribute": "sent", "analyse": "answers"}
FIGURES = ("cpu_s", "peak_mb", "written_mb")


def table_of(n, k):
    """Draw rows of n institutions, in k groups."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(30, 70, size=(k, COLUMNS))
    y = rng.integers(k, size=n * ROWS)
    return np.clip(centers[y] + rng.normal(scale=3, size=(n * ROWS, COLUMNS)), 0, 100), y


def fit(what, n):
    from consilience import (
        ClusteredCollaborationClassifier,
        CollaborationClassifier,
        CollaborationClustering,
    )

    X, y = table_of(n, CLUSTERS if what == "clusters" else CLASSES)
    parties = np.repeat(np.arange(n), ROWS)
    estimator = {
        "clusters": CollaborationClustering(CLUSTERS, random_state=0),
        "classes": CollaborationClassifier(random_state=0),
        "groups": ClusteredCollaborationClassifier(random_state=0),
    }[what]
    return lambda: estimator.fit(X, y, parties=parties)


def write_study(folder, n):
    """Write a study of n institutions, its private folders and tables."""
    from consilience.study.identity import Identity
    from consilience.study.keys import new_key
    from consilience.study.secrets import PrivateFolder

    names = [f"i{k}" for k in range(n)]
    text = f'name = "many"\ngrid = {{rows = {json.dumps(names)}, columns = ["x"]}}\n'
    text += f"[clustering]\nn_clusters = {CLUSTERS}\n[schema.x]\n"
    text += "".join(f'x{j} = {{kind = "numeric", bounds = [0, 100]}}\n' for j in range(COLUMNS))
    column, identities = new_key(), {}
    for role in ("analyst", *(f"{name}/x" for name in names)):
        private = PrivateFolder(folder / "private" / role.replace("/", "."))
        identities[role] = Identity.new(role)
        private.write_identity(identities[role])
        if role != "analyst":
            private.write_key("column", column)
            private.write_key("row", new_key())
        text += identities[role].public_lines()
    (folder / "study.toml").write_text(text)
    X, _ = table_of(n, CLUSTERS)
    for k, name in enumerate(names):
        part = pd.DataFrame(X[k * ROWS : (k + 1) * ROWS], columns=[f"x{j}" for j in range(COLUMNS)])
        part.insert(0, "id", [f"{name}-{i}" for i in range(ROWS)])
        part.to_csv(folder / f"{name}.csv", index=False)
    return identities


def write_contributions(folder, identities):
    """Write what every party sends, by its role, without the audit."""
    from consilience.collaboration.roles import party_of
    from consilience.sources.source import Source
    from consilience.study.participant import Participant
    from consilience.study.secrets import PrivateFolder
    from consilience.study.study import Study
    from consilience.transports.bundle import manifest_of, write_bundle

    study = Study.load(folder / "study.toml")
    for name in study.grid.parties[1:]:
        private = PrivateFolder(folder / "private" / name.replace("/", "."))
        me = Participant(study, name, private, folder)
        rows = me.read_rows(Source(folder / f"{me.place.row}.csv", "id"))
        [message] = party_of(study, name, private.read_key("column")).begin(
            rows.matrix, rows.pseudonyms
        )
        manifest = manifest_of(message, study, "many parties")
        path = folder / "sent" / f"{name.replace('/', '.')}.contribution"
        write_bundle(path, message, manifest, study=study, identity=identities[name])


def command(what, n, folder):
    """Prepare all that comes before a command; return what runs it."""
    identities = write_study(folder, n)
    labels = folder / "labels.csv"
    own = ["--as", "i0/x", "--data", folder / "i0.csv", "--id", "id"]
    words = {
        "contribute": [folder / "study.toml", *own, "--yes", "--out", folder / "sent"],
        "analyse": [folder / "study.toml", "--out", folder / "answers"],
        "label": [folder / "study.toml", folder / "answers" / "i0.x.answer", *own, "--out", labels],
    }
    before = COMMANDS[: COMMANDS.index(what)]
    if "contribute" in before:
        run("contribute", *words["contribute"])
        write_contributions(folder, identities)
        words["analyse"][1:1] = sorted((folder / "sent").glob("*.contribution"))
    if "analyse" in before:
        run("analyse", *words["analyse"])
    return lambda: run(what, *words[what])


def run(*words):
    from consilience.cli.app import main

    sys.argv = ["consilience", *map(str, words)]
    kept, sys.stdout = sys.stdout, sys.stderr
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.stdout = kept


def measure(what, n):
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        act = fit(what, n) if what in ESTIMATORS else command(what, n, Path(folder))
        before, begun = forget_peak(), time.process_time()
        act()
        spent, peak = time.process_time() - begun, memory("VmHWM") - before
        found = {"cpu_s": round(spent, 3), "peak_mb": round(peak / 1e6, 1)}
        if what in WRITES:
            written = sum(path.stat().st_size for path in (Path(folder) / WRITES[what]).iterdir())
            found["written_mb"] = round(written / 1e6, 3)
    print(json.dumps(found))


def main(words):
    if len(words) == 2 and words[1].isdigit():
        return measure(words[0], int(words[1]))
    path = ROOT / "benchmarks" / "results" / "speed-parties.csv"
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["what"])
    for what in words or (*ESTIMATORS, *COMMANDS):
        plan = [(what, n) for n in SIZES]
        found = in_fresh_processes("benchmarks.speed.parties", plan)
        found = found.rename(columns={"rows": "parties"}).reindex(
            columns=["what", "parties", *FIGURES]
        )
        for figure in FIGURES:
            # The exponent of growth between two sizes.
            grown = np.log(found[figure]).diff() / np.log(found["parties"]).diff()
            found[f"growth_of_{figure}"] = grown.round(2)
        known = pd.concat([known[known["what"] != what], found])
        record(known, "parties")
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
