"""The limit of a study: what an audit may find, and why something stays at home."""

from __future__ import annotations

from consilience.privacy.audits.audit import Audit

__all__ = ["check_limit"]


def check_limit(audit: Audit, limit: float | None, way_out: str) -> str:
    """Return why nothing may leave by the limit of a study; empty if it may.

    An audit that could not be run exceeds every limit: nothing is known about it.

    Parameters
    ----------
    audit : Audit
    limit : float or None
        The largest median R2, and share of rows rebuilt exactly, that any coalition may reach;
        None sets none.
    way_out : str
        What to change in such a study, as the beginning of a sentence.
    """
    if limit is None:
        return ""
    if audit.reconstruction is None:
        return (
            f"the study limits reconstruction to {limit:g}, but no attack could be run: "
            f"{audit.findings[0].reason}"
        )
    worst = audit.worst
    assert worst is not None
    if max(audit.reconstruction, worst.decoded) <= limit:
        return ""
    exact = f" and {worst.decoded:.0%} of rows exactly" if worst.decoded else ""
    return (
        f"the audit rebuilds a typical column to R2 {audit.reconstruction:.2f}{exact}, more than "
        f"the study's max_reconstruction = {limit:g}. {worst.coalition}, holding {worst.holds}, "
        f"would suffice. {way_out}, or raise the limit with everybody's consent."
    )
