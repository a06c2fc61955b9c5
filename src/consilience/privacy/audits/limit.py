"""The limits of a study: what an audit may find, and why something stays at home."""

from __future__ import annotations

from consilience.privacy.audits.audit import Audit, said

__all__ = ["check_exact_rows", "check_limit"]


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


def check_exact_rows(audit: Audit, limit: float | None, way_out: str) -> str:
    """Return why nothing may leave by the share of rows a study lets be decoded; empty if it may.

    Parameters
    ----------
    audit, way_out
        As in :func:`check_limit`.
    limit : float or None
        The largest share of rows that any coalition may rebuild exactly; None sets none.
    """
    if limit is None:
        return ""
    run = [f for f in audit.findings if f.figures and not f.upper_bound]
    if not run:
        return (
            f"the study limits the rows rebuilt exactly to {limit:.0%}, but no attack could be "
            f"run: {audit.findings[0].reason}"
        )
    over = [f for f in run if f.decoded > limit]
    if not over:
        return ""
    enough = min(over, key=lambda f: (f.size, -f.decoded))
    return (
        f"the audit decoded {enough.decoded:.0%} of the rows exactly, and the study's "
        f"max_exact_rows = {limit:g} allows {limit:.0%}. {enough.coalition}, holding "
        f"{enough.holds}, would suffice. {way_out}, or raise the limit with everybody's consent."
    )
