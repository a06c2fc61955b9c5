from consilience.collaboration.audit.attacks import attacks_on
from consilience.collaboration.audit.scene import Setting


def names(**terms):
    return [a.name for a in attacks_on(Setting(**terms), 6, quick=False)]


def test_shared_coordinates_open_one_more_attack():
    assert set(names(answer="representation")) - set(names()) == {"known rows, shared coordinates"}


def test_a_reduction_of_the_users_own_is_also_inverted_by_a_curve():
    assert "curved collusion" in names(reducer=object())
    assert "curved collusion" not in names()


def test_quick_form_is_collusion_with_the_cheap_exact_attack():
    quick = attacks_on(Setting(), 6, quick=True)
    assert [a.name for a in quick] == ["collusion", "collusion with prior", "decoding"]
