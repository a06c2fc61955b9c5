from consilience.continual.nodes import compute, learning


def test_plain_path_is_there_without_any_extra():
    assert compute.path(compiled=False) is learning


def test_default_path_can_learn():
    assert callable(compute.path().learn)
