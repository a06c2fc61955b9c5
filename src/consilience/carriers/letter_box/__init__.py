"""The letter box of a study over HTTPS: a shelf that a server keeps for its roles (extra net)."""
