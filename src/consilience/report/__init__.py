"""The report: one HTML file for each side, which opens offline and loads nothing."""
