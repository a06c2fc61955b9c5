import numpy as np
import pytest

from consilience.report.figures import draw_choice, draw_map, draw_profiles, draw_sizes, sample


def plane(n_rows=30, n_dimensions=3):
    return np.random.default_rng(0).normal(size=(n_rows, n_dimensions))


def test_same_rows_give_the_same_picture():
    labels = np.arange(30) % 3
    assert draw_map(plane(), labels, "it") == draw_map(plane(), labels, "it")


@pytest.mark.parametrize(
    ("n_rows", "n_dimensions", "labels"),
    [
        (1, 3, [0]),
        (4, 1, [0, 0, 1, 1]),
        (4, 2, [-1, -1, -1, -1]),
        (20, 5, list(range(20))),
    ],
    ids=["one row", "one dimension", "noise alone", "many clusters"],
)
def test_map_draws_whatever_comes(n_rows, n_dimensions, labels):
    svg = draw_map(plane(n_rows, n_dimensions), np.array(labels), "it")
    assert svg.rstrip().endswith(b"</svg>")


def test_map_paints_points_instead_of_writing_their_coordinates():
    assert draw_map(plane(500), np.zeros(500, dtype=np.int64), "it").count(b"<use") < 60


def test_sizes_of_many_holders_are_told_apart_and_their_names_are_plain_xml():
    names = ["_a & b", "x\x01<i>", "$\\frac$", *(f"holder {k}" for k in range(20))]
    svg = draw_sizes(np.ones((len(names), 2), dtype=np.int64), names).decode()
    assert "_a &amp; b" in svg
    assert "<i>" not in svg
    assert "\x01" not in svg
    assert "$\\frac$" in svg


def test_letters_the_font_lacks_are_left_to_the_browser():
    assert "年齢" in draw_profiles(np.array([[0.5, np.nan]]), ["年齢"], [0, 1]).decode()


def test_choice_marks_the_number_taken():
    assert b"chosen: 3" in draw_choice({2: 0.4, 3: 0.6, 4: 0.5}, 3, "mean silhouette")


def test_sample_is_everything_or_always_the_same_part():
    assert sample(10, 20).tolist() == list(range(10))
    part = sample(1000, 20)
    assert len(set(part.tolist())) == 20
    assert (part == sample(1000, 20)).all()
