"""Attacks on what a party is about to send, one per file, run by the party itself.

Every attack is a function of arrays; what the attacker is assumed to know are its arguments. None
of them is a proof: an attack that fails shows only that this attack fails.

====================  =====================================================  =====================
file                  who                                                    knows
====================  =====================================================  =====================
``collusion``         analyst and a party of the same columns                the anchor
``nonlinear``         analyst and a party of the same columns                the anchor, rows alike
``exact_rows``        the same, or the analyst alone                         the anchor, or one more
                                                                             row than columns
``known_rows``        analyst, or a row-mate who was sent coordinates        some of the rows
``unmixing``,         analyst alone                                          public terms, and
``matching``                                                                 published figures
``register_linkage``  analyst alone                                          a list of candidates
``linkage``           analyst and a party of the same columns, or anybody    a list of candidates
``membership``        analyst of a continual study                           a list of candidates
``differencing``      analyst of a continual study                           two windows
``attribute``         peer of a consensus                                    some of the rows
====================  =====================================================  =====================

``capacity`` says whether there is a row to be found at all, whoever finds it.
"""
