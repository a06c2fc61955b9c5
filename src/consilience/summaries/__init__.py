"""Summaries: institutions with the same columns send a few centres of their rows, and no row."""
