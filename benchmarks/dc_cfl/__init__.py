"""DC-CFL [Sugawara2026]_."""
