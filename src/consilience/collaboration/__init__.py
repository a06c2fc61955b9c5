"""Data collaboration: one round, data split by rows and columns."""
