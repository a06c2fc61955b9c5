"""The agreement of a study: schema, keys, terms."""
