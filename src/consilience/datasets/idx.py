"""Read Fashion-MNIST from the IDX files that Debian's ``dataset-fashion-mnist`` installs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["FASHION_MNIST", "read_fashion_mnist", "read_idx"]

FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")
"""Where the package puts the four files."""


def read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """Read one gzipped IDX file of bytes: two zeros, the kind, the number of axes, their lengths.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray of uint8
    """
    with gzip.open(path) as file:
        content = file.read()
    kind, n_axes = content[2], content[3]
    if content[:2] != b"\0\0" or kind != 8:
        raise ValueError(f"{path.name} begins with {content[:4].hex()}, must be an IDX of bytes.")
    start = 4 + 4 * n_axes
    shape = np.frombuffer(content[4:start], dtype=">u4").astype(int)
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def read_fashion_mnist(
    folder: Path = FASHION_MNIST,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the images as rows and their classes, the training part first.

    Parameters
    ----------
    folder : Path
        Holds ``train-images-idx3-ubyte.gz`` and its three companions.

    Returns
    -------
    tuple of ndarray
        70,000 rows of 784 grey values, and 70,000 classes.
    """
    images, labels = [], []
    for part in ("train", "t10k"):
        pictures = read_idx(folder / f"{part}-images-idx3-ubyte.gz")
        images.append(pictures.reshape(len(pictures), -1))
        labels.append(read_idx(folder / f"{part}-labels-idx1-ubyte.gz"))
    return np.concatenate(images), np.concatenate(labels)
