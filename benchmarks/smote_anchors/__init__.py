"""SMOTE anchors [Imakura2023]_, and which anchor to choose."""
