"""The agreement of a study: schema, study file, keys, pseudonyms."""
