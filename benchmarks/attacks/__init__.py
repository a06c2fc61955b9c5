"""Attacks on what the methods send, and what each defence buys."""
