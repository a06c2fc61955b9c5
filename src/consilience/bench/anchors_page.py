"""placeholder."""

from pathlib import Path

import pandas as pd


def write_page(results: pd.DataFrame, path: Path) -> Path:
    """Later."""
    return path
