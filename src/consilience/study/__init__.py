"""The agreement of a study: schema, study file, keys, pseudonyms."""

from consilience.study.identity import Identity, PublicKeys
from consilience.study.schema import Categorical, Numeric, Ordinal, Schema
from consilience.study.study import ANALYST, Study

__all__ = [
    "ANALYST",
    "Categorical",
    "Identity",
    "Numeric",
    "Ordinal",
    "PublicKeys",
    "Schema",
    "Study",
]
