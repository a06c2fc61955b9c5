"""Campaigns that try to break the package: fuzzing, kills, hostile roles, green scenes that decode.

One file per campaign; ``python -m benchmarks.adversary`` runs them all and writes what they found.
"""
