"""Where the rows of an analyst lie and how a step over their blocks runs; methods do not know."""
