"""DC-CFL: one round, one model per group of institutions with similar label mixes."""
