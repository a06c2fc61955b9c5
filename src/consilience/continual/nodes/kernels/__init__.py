"""The learning procedure compiled by numba (extra ``fast``), file by file as in plain numpy.

Each function stands in the file, and has the name, that it has one level up; it works on the
arrays of a `Network`.
"""

from consilience.continual.nodes.kernels.learning import learn
from consilience.continual.nodes.kernels.search import nearest

__all__ = ["learn", "nearest"]
