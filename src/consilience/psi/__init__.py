"""Rows of several holders meet without a key that any of them could test ids with."""
