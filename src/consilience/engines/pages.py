"""Pages of mapped files: memory of this process until it lets go of them."""

from __future__ import annotations

import mmap
from typing import Any

import numpy.typing as npt

__all__ = ["let_go"]


def let_go(*arrays: npt.NDArray[Any] | None) -> None:
    """Give the pages of mapped files back; they are read again where they are used again.

    An array that is not mapped, and a system that cannot do it, are left as they are.

    Examples
    --------
    >>> import numpy as np
    >>> let_go(np.zeros(3), None)
    """
    for array in arrays:
        owner: Any = array
        while owner is not None and not isinstance(owner, mmap.mmap):
            owner = getattr(owner, "base", None)
        if owner is not None and hasattr(owner, "madvise"):
            owner.madvise(mmap.MADV_DONTNEED)
