import multiprocessing
import socket

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from typer.testing import CliRunner

from consilience import ConsensusClustering
from consilience.cli.app import app
from consilience.consensus.participation import terms_of
from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.rows import read_rows
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

zmq = pytest.importorskip("zmq", reason="needs the extra 'peer'")

X = load_digits().data[:150]
COLUMNS = {"bank": range(20, 30), "clinic": range(30, 44), "insurer": range(44, 60)}
PEERS = [f"people/{name}" for name in COLUMNS]
RUNNER = CliRunner()
SET = ["--set", "n_clusters=4", "--scale", "none"]


def ports():
    sockets = [socket.socket() for _ in COLUMNS]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    found = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return found


@pytest.fixture
def home(tmp_path):
    """A study of three peers, each with its own folder, table and order of rows."""
    lines = ['name = "people"', f'grid = {{rows = ["people"], columns = {list(COLUMNS)}}}']
    rng = np.random.default_rng(0)
    for name, columns in COLUMNS.items():
        lines.append(f"[schema.{name}]")
        lines += [f'p{j} = {{kind = "numeric", bounds = [0, 16]}}' for j in columns]
        table = pd.DataFrame(X[:, columns], columns=[f"p{j}" for j in columns])
        table.insert(0, "person", [f"P-{i:03d}" for i in range(len(X))])
        table.iloc[rng.permutation(len(X))].to_csv(tmp_path / f"{name}.csv", index=False)
    lines += ["[consensus]", "seed = 7", "max_iter = 3", "timeout = 20.0"]
    for name, port in zip(PEERS, ports(), strict=True):
        folder = PrivateFolder(tmp_path / "private" / name.replace("/", "."))
        identity = Identity.new(name)
        folder.write_identity(identity)
        folder.write_key("row", b"r" * 32)
        public = identity.public
        lines += [f'[keys."{name}"]', f'sign = "{public.sign}"', f'seal = "{public.seal}"']
        (tmp_path / "study.toml").write_text("\n".join(lines) + "\n")
        shown = RUNNER.invoke(
            app, ["peer", str(tmp_path / "study.toml"), "--as", name, "--show-key"]
        )
        assert shown.exit_code == 0, shown.output
        lines += shown.stdout.replace("HOST:7700", f"127.0.0.1:{port}").splitlines()
    (tmp_path / "study.toml").write_text("\n".join(lines) + "\n")
    return tmp_path


def command(home, name, *more):
    short = name.partition("/")[2]
    return [
        *("peer", str(home / "study.toml"), "--as", name, "--data", str(home / f"{short}.csv")),
        *("--id", "person", "--out", str(home / f"{short}-labels.csv"), *SET, *more),
    ]


def labels_of(home, name):
    table = pd.read_csv(home / f"{name.partition('/')[2]}-labels.csv")
    return table.sort_values("person").cluster.to_numpy()


def same_partition(a, b):
    return len(np.unique(np.column_stack([a, b]), axis=0)) == len(set(a)) == len(set(b))


def estimated(home):
    """Fit the estimator on the rows in the order of their pseudonyms, which decides ties."""
    study = Study.load(home / "study.toml")
    files = {name: home / f"{name.partition('/')[2]}.csv" for name in sorted(PEERS)}
    rows = [read_rows(study, name, file, "person", b"r" * 32) for name, file in files.items()]
    ends = np.cumsum([r.matrix.shape[1] for r in rows])
    columns = [list(range(end - r.matrix.shape[1], end)) for end, r in zip(ends, rows, strict=True)]
    model = ConsensusClustering(KMeans(4), columns=columns, max_iter=3, random_state=7)
    labels = model.fit_predict(np.hstack([r.matrix for r in rows]))
    ids = rows[0].ids.iloc[rows[0].kept].to_numpy()
    return pd.Series(labels, index=ids).sort_index().to_numpy()


def test_by_files_and_over_the_network_the_peers_find_the_same(home):
    exchange = str(home / "exchange")
    finished, rounds = set(), 0
    while len(finished) < 3:
        rounds += 1
        assert rounds < 30
        for name in PEERS:
            result = RUNNER.invoke(app, command(home, name, "--files", exchange))
            assert result.exit_code == 0, result.output
            if "the peers agree" in result.output:
                finished.add(name)
    by_files = {name: labels_of(home, name) for name in PEERS}
    assert same_partition(by_files[PEERS[0]], estimated(home))
    fork = multiprocessing.get_context("fork")
    processes = [
        fork.Process(
            target=app,
            args=(command(home, name, "--report", str(home / f"{name[7:]}.html")),),
            daemon=True,
        )
        for name in PEERS
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    for name in PEERS:
        np.testing.assert_array_equal(labels_of(home, name), by_files[name])
        np.testing.assert_array_equal(by_files[name], by_files[PEERS[0]])
        page = (home / f"{name[7:]}.html").read_text()
        assert "How the clusters joined" in page
        assert "LocalLabels" in page
        assert "P-001" not in page


def test_a_changed_bundle_is_refused_and_the_rest_goes_on(home):
    exchange = home / "exchange"
    for name in PEERS:
        RUNNER.invoke(app, command(home, name, "--files", str(exchange)))
    spoilt = next(exchange.glob("people.bank--people.clinic--*"))
    spoilt.write_bytes(spoilt.read_bytes()[:-10])
    result = RUNNER.invoke(app, command(home, "people/clinic", "--files", str(exchange)))
    assert result.exit_code == 0
    assert "waiting for people/bank" in result.output


def test_a_study_without_consensus_says_so(home):
    text = (home / "study.toml").read_text()
    (home / "study.toml").write_text(text.split("[consensus]")[0])
    result = RUNNER.invoke(app, command(home, PEERS[0]))
    assert isinstance(result.exception, StudyError)
    assert "no [consensus] table" in str(result.exception)


def test_a_setting_must_be_a_pair(home):
    result = RUNNER.invoke(app, [*command(home, PEERS[0]), "--set", "eps"])
    assert "NAME=VALUE" in str(result.exception)


def test_terms_come_from_the_study(home):
    study = Study.load(home / "study.toml")
    terms = terms_of(study)
    assert (terms.seed, terms.max_iter, terms.peers) == (7, 3, tuple(sorted(PEERS)))
