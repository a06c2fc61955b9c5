"""Evidence: what left, under which terms, after which audit, in a form that others can check."""
