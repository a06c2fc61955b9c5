"""Anchor data: rows that belong to nobody, by which the parties' representations are aligned.

The analyst never holds the anchor; it sees it only through the parties' private reductions. Three
kinds are drawn by every party of a column from the column key alone, so that a party knows the
anchor of its own columns and of no others. Two need more than a key:

============  ===================================================================================
``gaussian``  normal numbers around the middle of the public bounds. The default: a few hundred rows
              align as well as many, and independent component analysis cannot unmix them.
``uniform``   uniform numbers between the bounds, as in the experiments of [Kawamata2025]_. An
              analyst alone can unmix them once there are many rows.
``rotated``   uniform numbers mixed by a secret rotation, inside the bounds.
`Smote`       Points between and beyond neighbouring *public* rows [Imakura2023]_. The draws span
              all columns: every party needs all columns of the public rows and one common key.
`LowRank`     A low-rank approximation of the *private* rows with noise [Imakura2021]_. It publishes
              something derived from them to every other party: the audit must be asked first.
an array      what the user has.
============  ===================================================================================
"""
