"""The desk: a study in a person's own browser, by the same commands as on the command line."""
