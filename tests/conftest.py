"""What several test files need: a small study by files, processes to kill, a browser."""

import contextlib
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from browser import CHROMIUM, Browser
from consilience.by_files import Letter, by_files
from consilience.cli.app import main
from consilience.sources.source import Source
from consilience.study.identity import Identity
from consilience.study.keys import derive_key
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import manifest_of, read_bundle, write_bundle

# A machine that has other things to do is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

SOURCE = Path(__file__).parents[1] / "src"
ID = "patient id"
COLUMNS = {
    "lab": {
        "age": {"kind": "numeric", "bounds": [0, 120]},
        "pressure (mmHg)": {"kind": "numeric", "bounds": [0, 300]},
        "ward": {"kind": "categorical", "categories": ["north", "None", "süd"]},
        "grade": {"kind": "ordinal", "categories": ["low", "mid", "high"]},
    },
    "life": {
        "steps": {"kind": "numeric", "bounds": [0, 30000]},
        "sleep": {"kind": "numeric", "bounds": [0, 24]},
        "smokes": {"kind": "categorical", "categories": ["yes", "no"]},
    },
    "bills": {
        "visits": {"kind": "numeric", "bounds": [0, 100]},
        "days": {"kind": "numeric", "bounds": [0, 365]},
        "cost": {"kind": "numeric", "bounds": [0, 1e6]},
    },
}
LEARNING = {"holder": "lab", "target": "ill", "classes": ["no", "yes"]}
KIND_TERMS = {
    "clusters": {},
    "classes": {"learning": LEARNING},
    "groups": {"learning": {**LEARNING, "labels": "distribution", "threshold": 0.2}},
    "peers": {"rows": ("a",), "n": (30,), "consensus": {"max_iter": 1}},
    "stream": {"columns": ("bills",), "stream": {}},
    "summaries": {"columns": ("bills",)},
}
"""What makes a small study one of its kind."""


@dataclass
class Result:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str


def run(*arguments):
    """Run the command line inside this process."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["consilience", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv = before
    return Result(code, out.getvalue(), err.getvalue())


NURSERY = """
import json, os, resource, sys, traceback
from consilience.by_files import Letter, by_files
from consilience.cli.app import main
print("ready", flush=True)
for line in sys.stdin:
    job = json.loads(line)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writing, 1), os.dup2(writing, 2)
        if job["limit"]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (job["limit"], job["limit"]))
        sys.argv, code = ["consilience", *job["arguments"]], 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
            code = 70
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)
    os.close(writing)
    print(pid, flush=True)
    sys.stdin.readline()  # until then the number of the process cannot become another's
    with os.fdopen(reading, errors="replace") as stream:
        said = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print(json.dumps([code, said]), flush=True)
"""


def environment():
    """Return the environment of a process that runs this source."""
    plain = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
    return {**plain, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}


class Nursery:
    """Commands in processes of their own, forked from one that has the imports behind it."""

    def __init__(self):
        self._parent = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._parent.stdout.readline()

    def run(self, *arguments, kill_after=None, kill_when=None, limit=None):
        """Run a command; kill it at some moment, or let no file grow beyond a limit."""
        self._say(json.dumps({"arguments": [*map(str, arguments)], "limit": limit}))
        pid = int(self._parent.stdout.readline())
        if kill_after is not None or kill_when is not None:
            time.sleep(kill_after or 0)
            end = time.monotonic() + 60
            while kill_when is not None and not kill_when() and time.monotonic() < end:
                pass
            os.kill(pid, signal.SIGKILL)
        self._say("")
        code, said = json.loads(self._parent.stdout.readline())
        return Result(code, said, said)

    def _say(self, line):
        self._parent.stdin.write(line + "\n")
        self._parent.stdin.flush()

    def close(self):
        """End the process the others are forked from."""
        self._parent.stdin.close()
        self._parent.wait()
        self._parent.stdout.close()


@dataclass(repr=False)
class Case:
    """A study with its keys and the tables of all parties, in one folder."""

    folder: Path
    terms: dict
    identities: dict = field(default_factory=dict)
    column_keys: dict = field(default_factory=dict)
    row_keys: dict = field(default_factory=dict)
    tables: dict = field(default_factory=dict)

    @property
    def path(self):
        return self.folder / "study.toml"

    @property
    def study(self):
        return Study.from_terms(self.terms)

    @property
    def parties(self):
        return self.study.grid.parties

    def private(self, role):
        return PrivateFolder(self.folder / "private" / role.replace("/", "."))

    def data(self, party):
        return self.folder / f"{party.replace('/', '.')}.csv"

    def sent(self, party):
        return self.folder / "out" / f"{party.replace('/', '.')}.contribution"

    def answer(self, party):
        return self.folder / "answers" / f"{party.replace('/', '.')}.answer"

    def write(self):
        """Write the study file anew, after a change of terms."""
        self.path.write_text(toml(self.terms), encoding="utf-8")
        return self

    def save_tables(self):
        for party, table in self.tables.items():
            table.to_csv(self.data(party), index=False)

    def contribute_command(self, party, *more):
        given = ["--as", party, "--data", self.data(party), "--id", ID, "--yes"]
        return ["contribute", self.path, *given, "--out", self.folder / "out", *more]

    def analyse_command(self, *more, paths=None):
        files = [self.sent(p) for p in self.parties] if paths is None else paths
        return ["analyse", self.path, *files, "--out", self.folder / "answers", *more]

    def label_command(self, party, *more):
        out = self.folder / f"{party.replace('/', '.')}.labels.csv"
        given = ["--as", party, "--data", self.data(party), "--id", ID, "--out", out]
        return ["label", self.path, self.answer(party), *given, *more]

    def contribute(self, *parties):
        """Write the contributions of all parties without the command line, which is slower."""
        for party in parties or self.parties:
            leaving = self.leaving(party)
            [letter] = leaving.letters
            manifest = self.send(letter.message, self.sent(party))
            leaving.keep(manifest)
            self.private(party).ledger.add(
                "contribution", study=self.study.digest, digest=manifest.digest, **leaving.facts
            )
        return self

    def participant(self, role):
        return Participant(self.study, role, self.private(role), self.folder)

    def source(self, party):
        return Source(self.data(party), ID)

    def leaving(self, party):
        """Return what a party is about to send."""
        return by_files(self.study, "contribute").send(self.participant(party), self.source(party))

    def send(self, message, path, identity=None):
        identity = identity or self.identities[message.sender]
        manifest = manifest_of(message, self.study, "a test")
        write_bundle(path, message, manifest, study=self.study, identity=identity)
        return manifest

    def letter(self, role, path):
        """Read what arrived for a role, verified."""
        identity = self.identities[role]
        message, manifest = read_bundle(path, study=self.study, identity=identity)
        return Letter(message, manifest.purpose, path.name, manifest)

    def read(self, party, **options):
        """Return what the answer to a party means for its rows."""
        kind, answer = by_files(self.study, "label"), self.letter(party, self.answer(party))
        return kind.read(self.participant(party), [answer], self.source(party), **options)

    def labels(self, party):
        """Run label and return the clusters by id."""
        result = run(*self.label_command(party))
        assert result.code == 0, result.err
        table = pd.read_csv(self.folder / f"{party.replace('/', '.')}.labels.csv", dtype="string")
        return table.set_index(ID)["cluster"]


def toml(terms):
    """Write a study as TOML: plain values first, then tables."""

    def value(item):
        if isinstance(item, dict):
            return "{" + ", ".join(f"{json.dumps(k)} = {value(v)}" for k, v in item.items()) + "}"
        return json.dumps(item, ensure_ascii=False)

    lines = [f"{k} = {value(v)}" for k, v in terms.items() if not isinstance(v, dict)]
    for name, items in terms.items():
        if not isinstance(items, dict):
            continue
        nested = name in ("schema", "keys")
        groups = {f"{name}.{json.dumps(k)}": v for k, v in items.items()} if nested else {}
        for header, group in (groups if nested else {name: items}).items():
            lines += [f"[{header}]", *(f"{json.dumps(k)} = {value(v)}" for k, v in group.items())]
    return "\n".join(lines) + "\n"


def make_rows(rng, n, columns):
    """Draw patients of three kinds, which every column group tells apart."""
    kind = rng.permutation(np.array([0, 0, 0, 1, 1, 2])[np.arange(n) % 6])
    names = list(COLUMNS["lab"]["ward"]["categories"])
    values = {
        "age": 20 + 30 * kind + rng.uniform(0, 25, n),
        "pressure (mmHg)": 250 - 60 * kind + rng.uniform(0, 50, n),
        "ward": np.array(names)[np.where(rng.uniform(size=n) < 0.9, kind, 0)],
        "grade": np.array(["low", "mid", "high"])[kind],
        "steps": 25000 - 9000 * kind + rng.uniform(0, 5000, n),
        "sleep": 4 + 7 * kind + rng.uniform(0, 3, n),
        "smokes": np.where(kind == 1, "yes", "no"),
        "visits": 10 + 30 * kind + rng.uniform(0, 20, n),
        "days": 280 - 120 * kind + rng.uniform(0, 80, n),
        "cost": 1e5 + 3e5 * kind + rng.uniform(0, 2e5, n),
    }
    return {c: pd.DataFrame({name: values[name] for name in COLUMNS[c]}) for c in columns}


def make_case(folder, rows=("a", "b"), columns=("lab", "life"), n=(30, 24), **terms):
    """Build a study: identities, keys, tables in different row orders."""
    rng = np.random.default_rng(7)
    grid = {"rows": list(rows), "columns": list(columns), **terms.pop("grid", {})}
    case = Case(
        folder,
        {
            "name": "a small study",
            "grid": grid,
            "clustering": {"n_clusters": 3, "seed": 5},
            "schema": {c: deepcopy(COLUMNS[c]) for c in columns},
            **terms,
        },
    )
    # Fixed, so that no draw of an anchor ever puts two singular values side by side.
    case.column_keys = {c: derive_key(bytes(32), f"column {c}") for c in columns}
    case.row_keys = {r: derive_key(bytes(32), f"row {r}") for r in rows}
    case.identities = {role: Identity.new(role) for role in (ANALYST, *case.parties)}
    case.terms["keys"] = {r: i.public.model_dump() for r, i in case.identities.items()}
    for role, identity in case.identities.items():
        case.private(role).write_identity(identity)
    for row, count in zip(rows, n, strict=True):
        parts = make_rows(rng, count, columns)
        ids = [f"{row.upper()}-{k:04d}" for k in rng.permutation(count)]
        for column in columns:
            party = f"{row}/{column}"
            if party not in case.parties:
                continue
            case.private(party).write_key("column", case.column_keys[column])
            case.private(party).write_key("row", case.row_keys[row])
            table = parts[column].copy()
            table.insert(len(table.columns) // 2, ID, ids)
            case.tables[party] = table.sample(frac=1, random_state=len(party))
    folder.mkdir(exist_ok=True)
    case.save_tables()
    return case.write()


def add_classes(case, classes=("no", "yes")):
    """Give the parties of lab the class of each of their rows, which all columns tell apart."""
    for party, table in case.tables.items():
        if party.endswith("/lab"):
            table["ill"] = np.array(classes)[(table.age > 47).astype(int)]
    case.save_tables()
    return case


@pytest.fixture
def cli():
    """Run the command line inside this process: ``cli("show", ...)``."""
    return run


@pytest.fixture(scope="session")
def nursery():
    """Processes to kill and to starve of disk."""
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
def dying(monkeypatch):
    """Run a command in a process that kills itself before some step that changes a file."""

    def watched(real, steps, step):
        def act(*arguments, **options):
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return act

    def die(step, *command):
        child = os.fork()
        if not child:
            steps = itertools.count()
            for name in ("link", "replace", "unlink", "mkdir", "fsync"):
                monkeypatch.setattr(os, name, watched(getattr(os, name), steps, step))
            os._exit(run(*command).code)
        return os.waitpid(child, 0)[1]

    return die


@pytest.fixture
def new_case(tmp_path):
    """Build another study: ``new_case(rows=..., columns=..., answer="model")``."""
    count = iter(range(100))
    return lambda **terms: make_case(tmp_path / f"study-{next(count)}", **terms)


@pytest.fixture
def case(new_case):
    """Two hospitals with two departments each."""
    return new_case()


@pytest.fixture
def of_kind(new_case):
    """Build a study that states its kind: ``of_kind("peers")``."""

    def make(kind, **changes):
        case = new_case(**deepcopy({**KIND_TERMS[kind], **changes}))
        if kind != "clusters":
            del case.terms["clustering"]
        case.terms = {"kind": kind, **case.terms}
        case.write()
        return add_classes(case) if "learning" in case.terms else case

    return make


@pytest.fixture
def answered(cli):
    """Contribute, analyse, and return what the analyst says."""

    def solve(case, *more, parties=None):
        case.contribute(*(parties or case.parties))
        sent = [case.sent(party) for party in parties or case.parties]
        result = cli(*case.analyse_command(*more, paths=sent))
        assert result.code == 0, result.err
        return result.out

    return solve


@pytest.fixture(scope="session")
def solved(tmp_path_factory):
    """A study with contributions and answers, for tests that only read."""
    case = make_case(tmp_path_factory.mktemp("solved") / "study").contribute()
    assert run(*case.analyse_command()).code == 0
    return case


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(Path(profile))
        try:
            browser.attach()
            yield browser
        finally:
            browser.close()
