"""How peers agree step by step: what they say, check, remember and do about the absent."""
