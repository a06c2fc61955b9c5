"""Attacks on what a party is about to send, one per file, run by the party itself.

Every attack is a function of arrays; what the attacker is assumed to know are its arguments. None
of them is a proof: an attack that fails shows only that this attack fails.

================  =========================================================  =====================
file              who                                                        knows
================  =========================================================  =====================
``collusion``     analyst and a party of the same columns                    the anchor
``known_rows``    analyst, or a row-mate who was sent shared coordinates     some of the rows
``unmixing``,     analyst alone                                              public terms, and
``matching``                                                                 published figures
``linkage``       analyst and a party of the same columns, or anybody        a list of candidates
``membership``    analyst of a continual study                               a list of candidates
``differencing``  analyst of a continual study                               two windows
``attribute``     peer of a consensus                                        some of the rows
================  =========================================================  =====================
"""

from consilience.privacy.audits.attribute import infer_attributes, message_features
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.collusion import curved_inverse, invert, invert_with_prior
from consilience.privacy.audits.columns import CountedColumns, count_columns
from consilience.privacy.audits.differencing import difference_nodes
from consilience.privacy.audits.finding import (
    Estimate,
    Finding,
    estimate,
    find,
    find_links,
    find_members,
    not_run,
)
from consilience.privacy.audits.known_rows import rebuild_from_known_rows
from consilience.privacy.audits.linkage import (
    fill_candidates,
    link_by_order,
    link_by_representation,
)
from consilience.privacy.audits.matching import (
    PublicKnowledge,
    correlate,
    match_with_oracle,
    match_without_oracle,
)
from consilience.privacy.audits.membership import Membership, infer_membership, nearest_rows
from consilience.privacy.audits.scores import Scores, score
from consilience.privacy.audits.unmixing import unmix

__all__ = [
    "Audit",
    "CountedColumns",
    "Estimate",
    "Finding",
    "Membership",
    "PublicKnowledge",
    "Scores",
    "correlate",
    "count_columns",
    "curved_inverse",
    "difference_nodes",
    "estimate",
    "fill_candidates",
    "find",
    "find_links",
    "find_members",
    "infer_attributes",
    "infer_membership",
    "invert",
    "invert_with_prior",
    "link_by_order",
    "link_by_representation",
    "match_with_oracle",
    "match_without_oracle",
    "message_features",
    "nearest_rows",
    "not_run",
    "rebuild_from_known_rows",
    "score",
    "unmix",
]
