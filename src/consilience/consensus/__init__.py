"""VertCoHiRF: peers agree on clusters by labels and ranks, and nobody is in charge."""
