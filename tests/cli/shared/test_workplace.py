import os

import pytest
import typer

from buckets import run_buckets
from consilience.cli.shared import workplace as module
from consilience.cli.shared.workplace import parse_memory
from consilience.engines import in_store
from consilience.study.study import ANALYST
from consilience.transports.bundle import read_bundle


@pytest.mark.parametrize(
    ("text", "size"), [("600MB", 6e8), ("4GB", 4e9), ("1.5 g", 1.5e9), ("2000000000", 2e9)]
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["much", "4XB", "10MB", "-4GB"])
def test_what_is_no_size_or_too_little_is_refused(text):
    with pytest.raises(typer.BadParameter, match=r"600MB or 4GB|at least 500MB"):
        parse_memory(text)


def labels_of(case):
    return {
        party: read_bundle(case.answer(party), study=case.study, identity=case.identities[party])[
            0
        ].labels.tolist()
        for party in case.parties
    }


def left_behind(case):
    return sorted(path.name for path in case.private(ANALYST).path.rglob("*") if path.is_file())


@pytest.fixture
def contributed(new_case):
    case = new_case()
    case.tables["a/life"] = case.tables["a/life"].iloc[4:]
    case.save_tables()
    case.contribute()
    return case


def test_rows_on_disk_have_the_same_answers_and_are_gone_afterwards(cli, contributed):
    assert cli(*contributed.analyse_command("--engine", "memory")).code == 0
    here = labels_of(contributed)
    before = left_behind(contributed)
    result = cli(*contributed.analyse_command("--engine", "disk", "--memory", "500MB"))
    assert result.code == 0, result.err
    assert labels_of(contributed) == here
    assert left_behind(contributed) == sorted([*before, "spill.lock"])
    spill = contributed.folder / "elsewhere"
    assert cli(*contributed.analyse_command("--engine", "disk", "--spill", spill)).code == 0
    assert not list(spill.iterdir())


def test_contributions_beyond_the_memory_go_to_disk_unasked(cli, contributed, monkeypatch):
    used = []
    monkeypatch.setattr(module, "OnDisk", lambda *a, **b: used.append(a) or on_disk(*a, **b))
    assert cli(*contributed.analyse_command()).code == 0
    assert not used
    monkeypatch.setattr(module, "BYTES_HELD", 10**9)
    assert cli(*contributed.analyse_command()).code == 0
    assert len(used) == 1


on_disk = module.OnDisk


def test_whatever_moment_a_run_is_killed_at_the_next_one_goes_on(cli, contributed, dying):
    command = contributed.analyse_command("--engine", "disk")
    assert cli(*command).code == 0
    expected, resumed = labels_of(contributed), 0
    for step in range(0, 60, 4):
        died = dying(step, *command)
        if not died:
            break
        result = cli(*command)
        assert result.code == 0, result.err
        assert labels_of(contributed) == expected
        resumed += "going on from it" in result.err
        assert not any("." in name and name.endswith(".rows") for name in left_behind(contributed))
    assert resumed >= 2


def test_a_refusal_leaves_no_rows_behind(cli, new_case):
    case = new_case(ids={"unmatched": "refuse"})
    case.tables["a/life"] = case.tables["a/life"].iloc[4:]
    case.save_tables()
    case.contribute()
    result = cli(*case.analyse_command("--engine", "disk"))
    assert result.code == 2
    assert "is 'refuse'" in result.err
    assert not any(name.endswith((".rows", ".0")) for name in left_behind(case))


def test_dask_gives_the_same_answers(cli, contributed):
    pytest.importorskip("distributed")
    assert cli(*contributed.analyse_command()).code == 0
    here = labels_of(contributed)
    result = cli(*contributed.analyse_command("--engine", "dask"))
    assert result.code == 0, result.err
    assert labels_of(contributed) == here


@pytest.mark.parametrize("engine", ["disk", "dask"])
def test_rows_in_a_bucket_have_the_same_answers_and_are_gone(cli, contributed, monkeypatch, engine):
    pytest.importorskip("distributed")
    assert cli(*contributed.analyse_command()).code == 0
    here, before = labels_of(contributed), left_behind(contributed)
    with run_buckets(monkeypatch) as client:
        written = []
        write = in_store._write
        monkeypatch.setattr(in_store, "_write", lambda *a: written.append(a[0]) or write(*a))
        place = "s3://study/analysts/"
        result = cli(*contributed.analyse_command("--engine", engine, "--spill", place))
        assert result.code == 0, result.err
        assert written[0].startswith(f"s3://study/analysts/{contributed.study.digest[:16]}/")
        assert "Contents" not in client.list_objects_v2(Bucket="study", Prefix="analysts/")
    assert labels_of(contributed) == here
    assert left_behind(contributed) == sorted([*before, "spill.lock"])


def test_a_bucket_that_is_not_there_is_named_and_nothing_left(cli, contributed, monkeypatch):
    with run_buckets(monkeypatch):
        command = contributed.analyse_command("--engine", "disk", "--spill", "s3://other/spill")
        result = cli(*command)
    assert result.code == 2
    assert "cannot lie at s3://other/spill" in " ".join(result.err.split())
    assert not any(name.endswith((".rows", ".0")) for name in left_behind(contributed))


def test_a_scheduler_goes_with_dask_alone(cli, contributed):
    result = cli(*contributed.analyse_command("--scheduler", "tcp://127.0.0.1:1"))
    assert result.code == 2
    assert "--scheduler goes with --engine dask" in result.err


@pytest.mark.parametrize("option", [("--engine", "disk"), ("--memory", "2GB")])
def test_studies_whose_rows_are_held_in_memory_say_so(cli, of_kind, option):
    case = of_kind("groups")
    result = cli("analyse", case.path, case.path, *option)
    assert result.code == 2
    assert "only rows of a study of clusters" in result.err


def test_folder_of_rows_is_its_owners_alone(cli, contributed, monkeypatch):
    seen = []

    def watch(*arguments, **options):
        engine = on_disk(*arguments, **options)
        seen.append(engine.folder.stat().st_mode & 0o777)
        return engine

    monkeypatch.setattr(module, "OnDisk", watch)
    assert cli(*contributed.analyse_command("--engine", "disk")).code == 0
    assert os.name == "nt" or seen[0] == 0o700
