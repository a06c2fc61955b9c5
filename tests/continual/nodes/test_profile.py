import pytest

from consilience.continual.nodes.profile import PROFILES, find_profile


def test_profiles_differ_where_the_paper_and_its_program_differ():
    assert find_profile("reference").whisker == 0.1
    assert find_profile("paper").whisker == 1.0
    assert PROFILES["paper"].shuffle
    assert not PROFILES["reference"].shuffle


def test_unknown_profile_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"profile == 'papre', must be one of: .*paper.*reference"):
        find_profile("papre")
