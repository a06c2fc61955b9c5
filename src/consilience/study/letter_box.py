"""What a study says of its letter box, if it has one: which one it is, and what its page tells."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from consilience.study.method import Terms

__all__ = ["LetterBoxTerms"]


class LetterBoxTerms(Terms):
    """The letter box over which the roles agreed to meet.

    Parameters
    ----------
    certificate : str, optional
        SHA-256 of the certificate it shows, 64 hexadecimal digits: who joins trusts this one and no
        other. Nothing trusts what the machine of each role trusts.
    show_sizes : bool, optional
        Whether its page tells every role how large each letter is, from which the number of rows
        can be guessed. Nothing means no.

    Examples
    --------
    >>> LetterBoxTerms(certificate="0" * 64).show_sizes is None
    True
    """

    certificate: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    show_sizes: bool | None = None
