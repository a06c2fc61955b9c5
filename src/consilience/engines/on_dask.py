"""Steps that run on the workers of a Dask scheduler: an existing one, or one started here.

A worker reads its blocks itself, so the folder of the rows must have the same path on its machine,
and Consilience must be installed there. A worker that is lost loses nothing but time: Dask gives
its blocks to another. Dask pickles the step and its few arguments on the way to workers, which are
the analyst's own machines; use a scheduler whose address begins with ``tls://`` where the network
between them is not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from consilience.exceptions import MissingExtraError, StudyError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["OnDask", "dask_client"]

BLOCKS_A_TASK = 8
"""Half a million rows of 16 dimensions: scheduling a task costs nothing beside them."""
TASKS_A_THREAD = 4
"""Tasks that wait for each thread of a worker; more would hold more results than are used."""
CONNECT_SECONDS = 30


class OnDask:
    """Runs a step over blocks on the workers of a scheduler.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def __call__(
        self,
        step: Callable[..., Any],
        blocks: Iterable[tuple[Any, ...]],
        arguments: tuple[Any, ...],
    ) -> Iterator[Any]:
        """Run a step on every block; yield the results in order, whoever was first."""
        waiting: deque[Any] = deque()
        n_waiting = TASKS_A_THREAD * max(1, sum(self.client.nthreads().values()))
        rest = iter(blocks)
        while some := tuple(islice(rest, BLOCKS_A_TASK)):
            waiting.append(self.client.submit(_run_some, step, some, arguments, pure=False))
            if len(waiting) > n_waiting:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _run_some(
    step: Callable[..., Any], blocks: tuple[tuple[Any, ...], ...], arguments: tuple[Any, ...]
) -> list[Any]:
    """Run a step on some blocks, at a worker."""
    return [step(block.read(), *beside, *arguments) for block, *beside in blocks]


@contextmanager
def dask_client(
    scheduler: str | None = None, *, n_workers: int = 2, memory: int = 2**31
) -> Iterator[Client]:
    """Speak to a Dask scheduler.

    Parameters
    ----------
    scheduler : str, optional
        Its address, such as ``tcp://10.0.0.5:8786``; without it one is started on this machine,
        which nobody else reaches, with its workers, and ended afterwards.
    n_workers, memory : int
        How many workers are started, each with one thread, and the bytes each may use.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingExtraError("an engine of Dask", str(error.name), "scale") from None
    if scheduler is None:
        with (
            LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                memory_limit=memory,
                # Of no port that somebody else may have, and for this machine alone.
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"no Dask scheduler answers at {scheduler}: {type(error).__name__}. Start one with "
            f"`dask scheduler`, or leave --scheduler out, and one is started here."
        ) from None
    with client:
        yield client
