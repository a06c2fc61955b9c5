"""The exceptions of Consilience.

::

    ConsilienceError
    ├── StudyError            the agreement: terms, schema, grid of parties
    │   └── TableError        a table that does not fit the schema
    ├── BudgetError           a release that would exceed the privacy budget
    ├── MessageError          a received message that breaks a rule
    │   └── BundleError       a file that is damaged, forged, or meant for somebody else
    ├── ArraysError           bytes or a text that cannot be read; who reads says what they were
    ├── CarrierError          a place of others' files that cannot be reached, or refuses
    │   └── DamagedError      a file that is not what was put there
    ├── PeerError             a peer that is absent, breaks a guard or tells two stories
    └── MissingExtraError     an optional dependency is not installed (also ImportError)

Bad arguments of estimators and functions stay ``ValueError`` and ``TypeError``. No message holds
a cell value or a row identifier: names, shapes, counts and public bounds only.
"""

from __future__ import annotations

__all__ = [
    "ArraysError",
    "BudgetError",
    "BundleError",
    "CarrierError",
    "ConsilienceError",
    "DamagedError",
    "MessageError",
    "MissingExtraError",
    "PeerError",
    "StudyError",
    "TableError",
]


class ConsilienceError(Exception):
    """Anything Consilience refuses to do, with the rule and the way out."""


class StudyError(ConsilienceError, ValueError):
    """The terms of a study contradict themselves or the request."""


class TableError(StudyError):
    """A party's table does not fit the schema of the study."""


class BudgetError(ConsilienceError, ValueError):
    """A release would exceed the privacy budget of the study."""


class MessageError(ConsilienceError, ValueError):
    """A received message breaks a rule: kind, study, sender, shape, dtype or finiteness."""


class BundleError(MessageError):
    """A bundle cannot be trusted: damaged, forged, of another study, or for another role."""


class ArraysError(ConsilienceError, ValueError):
    """Bytes are no facts and arrays, or a text is no JSON that would be read."""


class CarrierError(ConsilienceError, RuntimeError):
    """A place where files are put and found cannot be reached, or refuses."""


class DamagedError(CarrierError):
    """A file at a carrier is not, or no longer, what was put there."""


class PeerError(ConsilienceError, RuntimeError):
    """Peers cannot go on, and whose doing that is.

    Parameters
    ----------
    reason : str
        The rule that was broken and the way out.
    peers : tuple of str
        The peers concerned.
    """

    def __init__(self, reason: str, peers: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.peers = peers


class MissingExtraError(ConsilienceError, ImportError):
    """An optional dependency is missing.

    Parameters
    ----------
    feature : str
        What the user asked for, as the subject of a sentence.
    package : str
        The package that is not installed.
    extra : str
        The extra of Consilience that installs it.

    Examples
    --------
    >>> print(MissingExtraError("reading Parquet files", "pyarrow", "io"))
    reading Parquet files needs pyarrow: pip install 'consilience[io]'
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs {package}: pip install 'consilience[{extra}]'")
        self.package = package
