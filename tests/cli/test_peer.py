import io
import json
import multiprocessing
import re
import socket
import struct
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pyrage
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from typer.testing import CliRunner

from consilience import ConsensusClustering
from consilience.cli.app import app
from consilience.consensus import mesh
from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.mesh import curve_keys
from consilience.consensus.network import curve_seed
from consilience.consensus.rounds import letters_for
from consilience.consensus.terms import Peers
from consilience.exceptions import ConsilienceError, StudyError
from consilience.holdings import Place
from consilience.sources.source import Source
from consilience.study.envelope import Envelope
from consilience.study.keys import derive_key
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
    study = tmp_path / "study.toml"
    study.write_text("\n".join(lines) + "\n")
    for name, port in zip(PEERS, ports(), strict=True):
        endpoint = f"tcp://127.0.0.1:{port}"
        add = ["keygen", "--name", name, "--study", str(study), "--endpoint", endpoint]
        made = RUNNER.invoke(app, add)
        assert made.exit_code == 0, made.output
        PrivateFolder(tmp_path / "private" / name.replace("/", ".")).write_key("row", b"r" * 32)
    return tmp_path


def command(home, name, *more):
    short = Place.of(name).column
    return [
        *("peer", str(home / "study.toml"), "--as", name, "--data", str(home / f"{short}.csv")),
        *("--id", "person", "--out", str(home / f"{short}-labels.csv"), "--yes", *SET, *more),
    ]


def labels_of(home, name):
    table = pd.read_csv(home / f"{Place.of(name).column}-labels.csv")
    return table.sort_values("person").cluster.to_numpy()


def same_partition(a, b):
    return len(np.unique(np.column_stack([a, b]), axis=0)) == len(set(a)) == len(set(b))


def estimated(home):
    """Fit the estimator on the rows in the order of their pseudonyms, which decides ties."""
    study = Study.load(home / "study.toml")
    files = {name: home / f"{Place.of(name).column}.csv" for name in sorted(PEERS)}
    rows = [
        read_rows(study, name, Source(file, "person"), b"r" * 32) for name, file in files.items()
    ]
    ends = np.cumsum([r.matrix.shape[1] for r in rows])
    columns = [list(range(end - r.matrix.shape[1], end)) for end, r in zip(ends, rows, strict=True)]
    model = ConsensusClustering(
        KMeans(4), columns=columns, max_iter=3, profile="paper", random_state=7
    )
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


def test_by_files_two_go_on_without_the_third(home):
    study = home / "study.toml"
    rule = 'max_iter = 3\nwhen_absent = "go on without"'
    study.write_text(study.read_text().replace("max_iter = 3", rule))
    exchange, here = str(home / "exchange"), PEERS[:2]
    for more in ([], ["--absent"], *[[]] * 12):
        results = [
            RUNNER.invoke(app, command(home, name, "--files", exchange, *more)) for name in here
        ]
        assert [result.exit_code for result in results] == [0, 0], results
    assert all("the peers agree" in result.output for result in results)
    assert "going on without people/insurer, whose veto is lost" in results[0].output
    np.testing.assert_array_equal(*[labels_of(home, name) for name in here])
    ledger = (home / "private" / "people.bank" / "ledger.jsonl").read_text()
    assert '"without": ["people/insurer"]' in ledger.splitlines()[-1]


def test_by_files_the_study_may_say_abort(home):
    result = RUNNER.invoke(
        app, command(home, PEERS[0], "--files", str(home / "exchange"), "--absent")
    )
    assert "the terms say abort" in str(result.exception)


@pytest.fixture
def planted(home):
    """Tables, and every form in which a value, an id or a secret of theirs might leak."""
    forms, rng = [], np.random.default_rng(1)
    study = home / "study.toml"
    study.write_text(study.read_text().replace("max_iter = 3", "max_iter = 1"))
    for name in PEERS:
        file = home / f"{name[7:]}.csv"
        table = pd.read_csv(file).sort_values("person").iloc[:60]
        table["person"] = [f"CANARY-{i}-{'x' * 8}" for i in table.person]
        for column in table.columns[1:]:
            table[column] = rng.uniform(1, 15, len(table))
            for value in table[column][:12]:
                forms += [struct.pack("<d", value), struct.pack(">d", value)]
                forms += [f"{value:.6g}".encode()]
        forms += [text.encode() for i in table.person[:12] for text in (i, i.casefold())]
        table.to_csv(file, index=False)
        identity = PrivateFolder(home / "private" / name.replace("/", ".")).read_identity(name)
        seed = identity.signing.private_bytes_raw()
        secrets = [b"r" * 32, derive_key(b"r" * 32, "pseudonym"), seed, curve_seed(identity)]
        forms += [form for s in secrets for form in (s, s.hex().encode())]
        forms += [curve_keys(curve_seed(identity))[1].encode(), str(identity.sealing).encode()]
    return home, forms


def leaks(forms, *texts):
    data = b"\n".join(t if isinstance(t, bytes) else t.encode() for t in texts)
    return [form for form in forms if form in data]


def test_by_files_no_canary_leaves_or_is_shown(planted):
    home, forms = planted
    shown = []
    while sum("the peers agree" in text for text in shown) < 3:
        assert len(shown) < 60
        for name in PEERS:
            result = RUNNER.invoke(app, command(home, name, "--files", str(home / "exchange")))
            assert result.exit_code == 0, result.output
            shown.append(result.output)
    assert not leaks(forms, *shown)
    sent = list((home / "exchange").glob("*.peer"))
    contents = [path.read_bytes() for path in (home / "exchange").glob("*.txt")]
    for path in (home / "exchange").glob("*.json"):
        contents += [path.read_bytes(), Envelope.from_text(path.read_bytes()).payload]
    assert len(contents) == 3 * len(sent)
    for path in sent:
        recipient = path.name.split("--")[1]
        identity = PrivateFolder(home / "private" / recipient).read_identity(
            recipient.replace(".", "/")
        )
        contents += [path.name, path.read_bytes()]
        contents.append(pyrage.decrypt(path.read_bytes(), [identity.sealing]))
    assert not leaks(forms, *contents)
    ledgers = [p.read_bytes() for p in home.glob("private/*/ledger.jsonl")]
    assert not leaks(forms, *ledgers)
    assert len(sent) > 20
    assert len(ledgers) == 3
    table = (home / "bank.csv").read_bytes()
    assert leaks(forms, table), "the canaries would be seen"


def overhear(arguments, heard):
    """Run a peer in this process and write down all it says, before it is encrypted."""
    plain, said, shown = mesh.encode, [], io.StringIO()
    mesh.encode = lambda message: (data := plain(message), said.append(data))[0]
    with redirect_stdout(shown), redirect_stderr(shown):
        app(arguments, standalone_mode=False)
    heard.write_bytes(b"".join(said) + shown.getvalue().encode())


def test_over_the_network_no_canary_leaves_or_is_shown(planted):
    home, forms = planted
    fork = multiprocessing.get_context("fork")
    processes = [
        fork.Process(
            target=overhear,
            args=(command(home, name, *more), home / f"{name[7:]}.heard"),
            daemon=True,
        )
        for name, more in zip(PEERS, (["--report", str(home / "page.html")], [], []), strict=True)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    heard = [(home / f"{name[7:]}.heard").read_bytes() for name in PEERS]
    assert all(b"LocalLabels" in data and b"the peers agree" in data for data in heard)
    ledgers = [p.read_bytes() for p in home.glob("private/*/ledger.jsonl")]
    assert not leaks(forms, *heard, *ledgers, (home / "page.html").read_bytes())


def test_errors_of_a_peer_hold_no_canary(planted):
    home, forms = planted
    secret = "CANARYTEXT4711"
    table = pd.read_csv(home / "bank.csv").astype(object)
    for row, column, value in ((2, 1, secret), (3, 0, ""), (3, 0, table.iloc[0, 0]), (4, 2, 1e9)):
        broken = table.copy()
        broken.iloc[row, column] = value
        broken.to_csv(home / "bank.csv", index=False)
        result = RUNNER.invoke(app, command(home, PEERS[0], "--files", str(home / "exchange")))
        shown = result.output + str(result.exception or "")
        assert not leaks([*forms, secret.encode()], shown), shown
    assert result.exit_code == 0 or isinstance(result.exception, ConsilienceError)


def test_a_changed_bundle_is_refused_and_the_rest_goes_on(home):
    exchange = home / "exchange"
    for name in PEERS:
        RUNNER.invoke(app, command(home, name, "--files", str(exchange)))
    spoilt = next(exchange.glob("people.bank--people.clinic--*"))
    spoilt.write_bytes(spoilt.read_bytes()[:-10])
    result = RUNNER.invoke(app, command(home, "people/clinic", "--files", str(exchange)))
    assert result.exit_code == 0
    assert "waiting for people/bank" in result.output


def test_a_study_of_another_kind_says_which_verbs_are_its_own(home):
    study = home / "study.toml"
    study.write_text(re.sub(r"\[consensus[^]]*]\n([^[\n].*\n|\n)*", "", study.read_text()))
    result = RUNNER.invoke(app, command(home, PEERS[0]))
    assert isinstance(result.exception, StudyError)
    assert "nothing to do in 'people', a study of clusters" in str(result.exception)


def test_by_files_nothing_leaves_unasked_and_the_ledger_notes_each_bundle(home):
    exchange = home / "exchange"
    asking = [part for part in command(home, PEERS[0]) if part != "--yes"]
    result = RUNNER.invoke(app, [*asking, "--files", str(exchange)], input="n\n")
    assert "150; those all peers hold are clustered" in result.output
    assert "nothing was written" in str(result.exception)
    assert not list(exchange.glob("*"))
    RUNNER.invoke(app, [*asking, "--files", str(exchange)], input="y\n")
    ledger = (home / "private" / "people.bank" / "ledger.jsonl").read_text().splitlines()
    noted = [json.loads(line) for line in ledger]
    files = sorted(path.name for path in exchange.glob("*.peer"))
    assert len(files) == 2
    assert sorted(entry["file"] for entry in noted if entry["what"] == "consensus") == files


def test_a_dry_run_shows_what_a_peer_would_say_and_leaves_no_trace(home):
    before = sorted(home.rglob("*"))
    dry = command(home, PEERS[0], "--files", str(home / "exchange"), "--dry-run")
    shown = RUNNER.invoke(app, [*dry, "--json"])
    assert shown.exit_code == 0, shown.output
    assert sorted(json.loads(shown.stdout)["to"]) == sorted(PEERS[1:])
    assert "this was a dry run" in RUNNER.invoke(app, dry).output
    assert sorted(home.rglob("*")) == before


def test_what_was_carried_counts_beside_what_lies_in_the_folder(home):
    """A file under arrived/, where `join --carry` puts it, is heard as one that lies there."""
    folders = {name: home / Place.of(name).column for name in PEERS}
    for name, folder in folders.items():
        agreed = command(home, name, "--files", str(folder), "--by", "Dr. Novak")
        assert RUNNER.invoke(app, agreed).exit_code == 0
    here = folders[PEERS[0]]
    for other in PEERS[1:]:
        carried = here / "arrived" / Place.of(other).column
        carried.mkdir(parents=True)
        for letter in letters_for(PEERS[0], folders[other]):
            letter.rename(carried / letter.name)
    result = RUNNER.invoke(app, command(home, PEERS[0], "--files", str(here)))
    assert "wrote 2 bundles" in result.output
    ledger = (home / "private" / "people.bank" / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line)["by"] for line in ledger if "consent" in line] == ["Dr. Novak"]


def test_a_setting_must_be_a_pair(home):
    result = RUNNER.invoke(app, [*command(home, PEERS[0]), "--set", "eps"])
    assert "NAME=VALUE" in str(result.exception)


def test_a_place_can_be_added_to_keys_that_are_there_once(home, monkeypatch):
    study = home / "study.toml"
    name, text = PEERS[0], study.read_text()
    head, _, rest = text.partition(f'[consensus.places."{name}"]')
    study.write_text(head + rest.partition("\n\n")[2])
    add = ["keygen", "--name", name, "--study", str(study), "--endpoint"]
    bad = RUNNER.invoke(app, [*add, "insurer.example:7700"])
    assert "endpoint" in str(bad.exception)
    assert RUNNER.invoke(app, [*add, "tcp://127.0.0.1:7700"]).exit_code == 0
    assert Study.load(study).of(Peers).consensus.places[name].endpoint == "tcp://127.0.0.1:7700"
    before = study.read_text()
    assert RUNNER.invoke(app, [*add, "tcp://127.0.0.1:7700"]).exit_code == 0
    assert study.read_text() == before
    monkeypatch.chdir(home)
    without = RUNNER.invoke(app, ["keygen", "--name", "x/y", "--endpoint", "tcp://h:1"])
    assert without.exit_code == 0
    assert '[consensus.places."x/y"]' in (home / "x.y.public.toml").read_text()


def test_over_the_network_nothing_leaves_unasked(home):
    asking = [part for part in command(home, PEERS[0]) if part != "--yes"]
    result = RUNNER.invoke(app, asking, input="n\n")
    assert "150; those all peers hold are clustered" in result.output
    assert "people/clinic (tcp://127.0.0.1" in result.output.replace("\n", " ")
    assert "you did not agree" in str(result.exception)
    ledger = home / "private" / "people.bank" / "ledger.jsonl"
    assert not ledger.exists() or "consensus" not in ledger.read_text()


def test_by_files_a_changed_setting_is_named_and_all_can_start_over(home):
    exchange = home / "exchange"
    for name in (*PEERS, PEERS[0]):
        RUNNER.invoke(app, command(home, name, "--files", str(exchange)))
    other = [part.replace("n_clusters=4", "n_clusters=5") for part in command(home, PEERS[0])]
    other += ["--files", str(exchange)]
    result = RUNNER.invoke(app, other)
    assert "now sends another labels in iteration 1" in str(result.exception)
    result = RUNNER.invoke(app, [*other, "--anew"])
    assert "holds some of yours" in str(result.exception)
    result = RUNNER.invoke(app, [*other[:-1], str(home / "second"), "--anew"])
    assert result.exit_code == 0, result.output


def test_by_files_who_commits_anew_after_it_heard_the_others_is_named(home):
    """The clinic copies: it takes its commitment back when it knows the labels of the others."""
    exchange = home / "exchange"
    for _ in range(2):
        for name in PEERS:
            RUNNER.invoke(app, command(home, name, "--files", str(exchange)))
    RUNNER.invoke(app, command(home, PEERS[0], "--files", str(exchange)))
    for pattern in ("people.clinic--*-001-*", "people.bank--people.clinic--*-001-3-*"):
        for path in exchange.glob(pattern):
            path.unlink()
    (home / "private" / "people.clinic" / "consensus").rename(home / "away")
    other = [part.replace("n_clusters=4", "n_clusters=5") for part in command(home, PEERS[1])]
    assert RUNNER.invoke(app, [*other, "--files", str(exchange)]).exit_code == 0
    result = RUNNER.invoke(app, command(home, PEERS[0], "--files", str(exchange)))
    assert "people/clinic promised one labels in iteration 1" in str(result.exception)


def agreed(home, *more):
    """Let all peers run by files until they agree, and return what was said last."""
    exchange, said = str(home / "exchange"), {}
    for _ in range(30):
        for name in PEERS:
            result = RUNNER.invoke(app, command(home, name, "--files", exchange, *more))
            assert result.exit_code == 0, result.output
            if "the peers agree" in result.output:
                said[name] = result.output
        if len(said) == len(PEERS):
            return said
    raise AssertionError("no agreement")


def test_levels_hierarchy_and_later_rows_need_no_message(home):
    said = agreed(home)
    assert "clusters after each iteration:" in said[PEERS[0]]
    before = sorted(path.name for path in (home / "exchange").iterdir())
    more = ["--files", str(home / "exchange"), "--level", "1", "--hierarchy"]
    later = pd.read_csv(home / "bank.csv").head(20).assign(person=[f"N-{k}" for k in range(20)])
    later.to_csv(home / "later.csv", index=False)
    more += ["--new-data", str(home / "later.csv")]
    result = RUNNER.invoke(app, command(home, PEERS[0], *more))
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (home / "exchange").iterdir()) == before
    tree = Hierarchy.from_json((home / "bank-labels.hierarchy.json").read_text())
    assert (home / "bank-labels.hierarchy.dot").read_text().startswith("digraph")
    assert labels_of(home, PEERS[0]).max() == tree.cut(1).max()
    assert len(pd.read_csv(home / "bank-labels.new.csv")) == 20
    assert re.search(r"by your columns alone; of the rows all peers agreed on, \d+%", result.output)
    result = RUNNER.invoke(app, command(home, PEERS[0], *more[:2], "--level", "99"))
    assert "--level 99" in str(result.exception)


def test_votes_of_a_study_travel_by_files(home):
    study = home / "study.toml"
    text = study.read_text().replace("max_iter = 3", 'max_iter = 2\nrule = "votes"')
    study.write_text(text.replace("seed = 7", 'seed = 7\nprofile = "steady"'))
    agreed(home)
    assert same_partition(labels_of(home, PEERS[0]), labels_of(home, PEERS[1]))


def test_a_setting_that_is_not_possible_stops_before_anything_leaves(home):
    result = RUNNER.invoke(app, [*command(home, PEERS[0]), "--set", "n_clusters=-3"])
    assert "is not possible" in str(result.exception)
    result = RUNNER.invoke(app, [*command(home, PEERS[0]), "--set", "groups=3"])
    assert "has no setting 'groups'" in str(result.exception)
