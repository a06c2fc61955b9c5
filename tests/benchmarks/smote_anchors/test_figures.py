from benchmarks.smote_anchors.figures import draw_anchors, draw_set


def test_both_figures_of_the_artificial_set_are_drawn(tmp_path):
    pictures = [draw(tmp_path) for draw in (draw_set, draw_anchors)]
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)
