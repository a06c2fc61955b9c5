"""The agreement of a study: schema, keys, terms."""

from consilience.study.schema import Categorical, Numeric, Ordinal, Schema

__all__ = ["Categorical", "Numeric", "Ordinal", "Schema"]
