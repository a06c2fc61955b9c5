"""VertCoHiRF [Belucci2026]_."""
