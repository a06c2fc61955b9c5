import os
import time
from multiprocessing import Event, Process

from consilience.study.locks import locked


def hold(path, held):
    with locked(path):
        held.set()
        time.sleep(60)


def test_a_second_waits_and_a_death_lets_go(tmp_path):
    path, held = tmp_path / "private" / "a.lock", Event()
    holder = Process(target=hold, args=(path, held))
    holder.start()
    assert held.wait(60)
    waiting = os.fork()
    if not waiting:
        with locked(path):
            (tmp_path / "entered").touch()
        os._exit(0)
    assert os.waitpid(waiting, os.WNOHANG) == (0, 0)
    assert not (tmp_path / "entered").exists()
    holder.kill()
    holder.join()
    assert os.waitpid(waiting, 0)[1] == 0
    assert (tmp_path / "entered").exists()
    assert path.stat().st_mode & 0o077 == 0
