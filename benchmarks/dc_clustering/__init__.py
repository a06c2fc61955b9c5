"""DC-Clustering [Kawamata2025]_."""
