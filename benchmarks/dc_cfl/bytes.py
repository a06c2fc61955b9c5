"""What an institution sends and receives in DC and DC-CFL, byte by byte.

Up: one contribution as it is written on the wire, with the reduced rows, the reduced anchor and the
classes. Down: the map g_i in double precision and the group's network in single precision, which
is what the paper returns.
"""

from __future__ import annotations

import numpy as np

from benchmarks.dc_cfl.methods import N_ANCHOR
from benchmarks.dc_cfl.problems import N_PARTIES, Problem
from consilience.baselines.stacked_networks import Shape
from consilience.collaboration.reduction import default_n_components
from consilience.messages import LabelledContribution
from consilience.transports.wire import encode

__all__ = ["bytes_down", "bytes_up"]


def bytes_up(problem: Problem, n_anchor: int = N_ANCHOR) -> float:
    """Return the bytes of a contribution, for the mean number of rows of an institution."""
    n_rows = round(len(problem.X) / N_PARTIES)
    width = default_n_components(problem.X.shape[1])
    message = LabelledContribution(
        study="0" * 64,
        sender="institution-00/all",
        recipient="analyst",
        representation=np.zeros((n_rows, width)),
        anchor=np.zeros((n_anchor, width)),
        anchor_digest="0" * 64,
        targets=np.zeros((n_rows, int(problem.y.max()) + 1)),
    )
    return float(len(encode(message)))


def bytes_down(problem: Problem) -> float:
    """Return the bytes of an affine map and of the network on the space it leads into."""
    m, n_classes = problem.X.shape[1], int(problem.y.max()) + 1
    # m - 1 dimensions and the constant span m.
    network = Shape((m, 64, 32, n_classes)).n_parameters
    return float(8 * (default_n_components(m) + 1) * m + 4 * network)
