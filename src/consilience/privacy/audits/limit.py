"""The limit of a study: what an audit may find, and why something stays at home."""

from __future__ import annotations

from consilience.privacy.audits.audit import Audit, said

__all__ = ["check_limit"]


def check_limit(audit: Audit, limit: float | None, way_out: str) -> str:
    """Return why nothing may leave by the limit of a study; empty if it may.

    An audit that could not be run exceeds every limit: nothing is known about it.

    Parameters
    ----------
    audit : Audit
    limit : float or None
        The largest R2 of any column, and share of rows rebuilt exactly or recognised, that any
        coalition may reach; None sets none.
    way_out : str
        What to change in such a study, as the beginning of a sentence.
    """
    if limit is None:
        return ""
    exposure = audit.exposure
    if exposure is None:
        return (
            f"the study limits reconstruction to {limit:g}, but no attack could be run: "
            f"{audit.findings[0].reason}"
        )
    if exposure <= limit:
        return ""
    over = [f for f in audit.findings if not f.upper_bound and f.exposure > limit]
    enough = min(over, key=lambda f: (f.size, -f.exposure))
    return (
        f"the audit found more than the study's max_reconstruction = {limit:g} allows. "
        f"{enough.coalition}, holding {enough.holds}, would suffice to {said(enough)}. "
        f"{way_out}, or raise the limit with everybody's consent."
    )
