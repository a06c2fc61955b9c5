"""The resonance network alone: Algorithm 1, the steps it is made of, and an estimator of it."""
