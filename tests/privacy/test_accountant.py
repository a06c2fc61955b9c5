"""The account of a party: never overspent, never paid twice, whatever ran at once or died."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from conftest import environment
from consilience.exceptions import BudgetError, StudyError
from consilience.privacy.accountant import Accountant, charges_in
from consilience.privacy.noise import CountNoise, LaplaceNoise
from consilience.study.secrets import PrivateFolder

PROGRAM = """
import sys, time
from pathlib import Path
import numpy as np
from consilience.exceptions import BudgetError
from consilience.privacy.accountant import Accountant
from consilience.study.secrets import PrivateFolder

folder, key, limit, pause = sys.argv[1:]
def draw():
    time.sleep(float(pause))
    return {"values": np.random.default_rng().normal(size=2)}
try:
    found = Accountant(PrivateFolder(Path(folder)), float(limit)).draw_once(key, 1.0, draw)
    print(found["values"].tolist())
except BudgetError:
    print("refused")
"""


def start(folder, key, limit, pause=0.0):
    arguments = [sys.executable, "-c", PROGRAM, folder, key, limit, pause]
    return subprocess.Popen(
        [*map(str, arguments)], env=environment(), stdout=subprocess.PIPE, text=True
    )


@pytest.fixture
def folder(tmp_path):
    return PrivateFolder(tmp_path / "private")


def drawer():
    """Return something to draw that counts how often it was."""
    calls = []

    def draw():
        calls.append(1)
        return {"values": np.array([float(len(calls))])}

    return draw, calls


def test_the_same_draw_is_shown_again_at_no_further_cost(folder):
    draw, calls = drawer()
    for _ in range(3):
        assert Accountant(folder, 1.0).draw_once("k", 1.0, draw)["values"] == [1.0]
    assert (len(calls), Accountant(folder).spent) == (1, 1.0)


def test_nothing_is_drawn_beyond_the_limit(folder):
    draw, calls = drawer()
    accountant = Accountant(folder, 2.0)
    accountant.draw_once("one", 1.5, draw)
    with pytest.raises(BudgetError, match=r"costs epsilon 1\.0, but 1\.5 of 2\.0 is spent"):
        accountant.draw_once("two", 1.0, draw)
    assert (len(calls), accountant.spent) == (1, 1.5)


def test_noisy_contributions_of_other_kinds_count(folder):
    folder.ledger.add("contribution", epsilon=3.0)
    folder.ledger.add("contribution", rows=5)
    assert [charge.epsilon for charge in charges_in(folder.ledger)] == [3.0]
    with pytest.raises(BudgetError):
        Accountant(folder, 3.5).draw_once("k", 1.0, drawer()[0])


def test_a_draw_that_failed_was_paid_and_the_next_uses_its_charge(folder):
    def fail():
        raise OSError

    accountant = Accountant(folder, 1.0)
    with pytest.raises(OSError):
        accountant.draw_once("k", 1.0, fail)
    assert accountant.spent == 1.0
    draw, calls = drawer()
    accountant.draw_once("k", 1.0, draw)
    assert (len(calls), accountant.spent) == (1, 1.0)


def test_a_draw_whose_file_was_deleted_must_be_paid_again(folder):
    draw, calls = drawer()
    accountant = Accountant(folder, 1.5)
    accountant.draw_once("k", 1.0, draw)
    [kept] = folder.path.glob("draw-*")
    kept.unlink()
    with pytest.raises(BudgetError):
        accountant.draw_once("k", 1.0, draw)
    assert len(calls) == 1


def test_rows_and_counts_are_charged_and_kept_alike(folder):
    rows = LaplaceNoise([0.0], [1.0], 2.0, insecure_seed=1)
    counts = CountNoise(1.0, insecure_seed=1)
    account = Accountant(folder, 6.0, {"study": "s"})
    X, n = np.full((3, 1), 0.5), np.array([4, 5])
    noisy = account.draw(X, rows, "contribution")
    assert not np.isin(noisy, X).any()
    account.draw(n, counts, "label counts")
    assert (Accountant(folder).draw(X.copy(), rows, "contribution") == noisy).all()
    assert (account.spent, account.spoken) == (3.0, "epsilon 3 of 6")
    # Another row, purpose or price is another draw.
    account.draw(X + 0.1, rows, "contribution")
    assert account.spent == 5.0
    with pytest.raises(BudgetError, match="question costs epsilon 2"):
        account.draw(X, rows, "question")
    charges = [e for e in folder.ledger.entries() if e["what"] == "charge"]
    assert {e["study"] for e in charges} == {"s"}
    assert [c.insecure for c in charges_in(folder.ledger)] == [True] * 3


def test_a_contribution_with_a_charge_of_its_own_is_not_paid_twice(folder):
    account = Accountant(folder)
    account.draw(np.array([4]), CountNoise(1.0, insecure_seed=1), "label counts")
    folder.ledger.add("contribution", epsilon=1.0, charged=True)
    assert account.spent == 1.0


def test_neither_ledger_nor_file_names_tell_a_guess_from_the_table(tmp_path):
    """The same draw has another name in another folder: no hash of the table can be tried."""
    said = []
    for name in "ab":
        folder = PrivateFolder(tmp_path / name)
        account = Accountant(folder)
        account.draw(np.array([4]), CountNoise(1.0, insecure_seed=1), "label counts")
        said.append({e["draw"] for e in folder.ledger.entries()})
    assert not said[0] & said[1]


@pytest.mark.parametrize("loss", ["ledger", "ledger and head", "a line"])
def test_a_ledger_that_lost_a_charge_is_noticed(folder, loss):
    account = Accountant(folder, 1.0)
    account.draw_once("k", 1.0, drawer()[0])
    if loss == "a line":
        folder.ledger.path.write_text("")
    else:
        folder.ledger.path.unlink()
    if loss != "ledger":
        folder.ledger.path.with_suffix(".head").unlink()
    for key in "kl":
        with pytest.raises(StudyError, match="Restore it from a copy"):
            account.draw_once(key, 1.0, pytest.fail)


@pytest.mark.parametrize("data", [b"", b"other"])
def test_a_damaged_draw_is_not_drawn_again(folder, data):
    account = Accountant(folder, 5.0)
    account.draw_once("k", 1.0, drawer()[0])
    [kept] = folder.path.glob("draw-*")
    kept.write_bytes(data)
    with pytest.raises(StudyError, match="paid for once more"):
        account.draw_once("k", 1.0, pytest.fail)


@pytest.mark.parametrize("price", ["1.0", -1.0, 0, True, None, [1]])
def test_a_charge_without_a_price_is_refused(folder, price):
    folder.ledger.add("charge", epsilon=price)
    with pytest.raises(StudyError, match="a charge without a price"):
        charges_in(folder.ledger)


def test_eight_runs_at_once_draw_once(folder):
    runs = [start(folder.path, "k", 1.0, 0.05) for _ in range(8)]
    said = {run.communicate(timeout=60)[0] for run in runs}
    assert len(said) == 1
    assert "refused" not in said
    assert Accountant(folder).spent == 1.0


def test_eight_different_draws_at_once_stop_at_the_limit(folder):
    runs = [start(folder.path, f"k{i}", 3.0) for i in range(8)]
    said = [run.communicate(timeout=60)[0].strip() for run in runs]
    assert said.count("refused") == 5
    assert Accountant(folder).spent == 3.0


@pytest.mark.parametrize("moment", range(6))
def test_a_run_that_is_killed_is_never_paid_twice(folder, moment):
    run = start(folder.path, "k", 1.0, 0.2)
    end = time.monotonic() + 60
    while not folder.ledger.path.exists() and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(moment * 0.06)
    os.kill(run.pid, signal.SIGKILL)
    before = run.communicate(timeout=60)[0].strip()
    after = start(folder.path, "k", 1.0).communicate(timeout=60)[0].strip()
    assert after != "refused"
    assert before in ("", after)
    assert Accountant(folder).spent == 1.0
