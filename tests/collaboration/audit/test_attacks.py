from consilience.collaboration.audit.attacks import attacks_on
from consilience.collaboration.audit.scene import Setting


def names(**terms):
    return [a.name for a in attacks_on(Setting(**terms), 6, quick=False)]


def test_shared_coordinates_open_one_more_attack():
    assert set(names(answer="representation")) - set(names()) == {"known rows, shared coordinates"}


def test_a_reduction_of_the_users_own_is_also_inverted_by_a_curve():
    assert "curved collusion" in names(reducer=object())
    assert "curved collusion" not in names()


def test_quick_form_has_the_cheap_exact_attacks():
    quick = [a.name for a in attacks_on(Setting(), 6, quick=True)]
    assert quick == ["collusion", "collusion with prior", "decoding", "known rows, decoded"]


def test_where_one_institution_is_alone_there_are_no_other_contributions():
    others = "collusion with all contributions"
    assert others in names()
    assert others not in names(n_institutions=1)


def test_who_holds_several_contributions_is_said_to():
    twice = attacks_on(Setting(), 6, quick=True, n_sent=2)
    assert all("your 2 contributions" in attack.holds for attack in twice)


def test_a_coalition_counts_those_who_take_part():
    sizes = {a.name: a.size for a in attacks_on(Setting(), 6, quick=False)}
    assert (sizes["decoding"], sizes["known rows, decoded"], sizes["unmixing"]) == (2, 1, 1)
