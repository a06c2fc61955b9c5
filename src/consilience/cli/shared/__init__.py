"""What several verbs share: where text goes, options, files that leave and files that arrive."""
