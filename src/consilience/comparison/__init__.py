"""Methods side by side on one table: what each finds, and what of the rows each lets leave."""

from consilience.comparison.compare import compare
from consilience.comparison.result import Comparison

__all__ = ["Comparison", "compare"]
