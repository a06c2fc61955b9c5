"""Attacks on what a party of a data collaboration is about to send."""
