"""Which of the two paths to take: compiled where numba is installed, plain numpy otherwise."""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType

from consilience.continual.nodes import learning

__all__ = ["path"]


def path(compiled: bool | None = None) -> ModuleType:
    """Return the module whose ``learn`` and ``nearest`` are to be used.

    Parameters
    ----------
    compiled : bool, optional
        True insists on numba and False on numpy; None takes numba if it is there. The labels
        are the same, the time is not.

    Examples
    --------
    >>> path(compiled=False).__name__
    'consilience.continual.nodes.learning'
    """
    if compiled is None:
        compiled = find_spec("numba") is not None
    if not compiled:
        return learning
    from consilience.continual.nodes import kernels

    return kernels
