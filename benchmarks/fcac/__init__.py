"""FCAC [Masuyama2024]_."""
