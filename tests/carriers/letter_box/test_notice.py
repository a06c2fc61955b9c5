"""What a letter box is told survives the file it is told by."""

import json

from consilience.carriers.letter_box.notice import Notice, NoticedRole


def test_a_notice_is_the_same_after_a_file():
    steps = {"absent": "a", "turn": "b", "waiting": "c", "done": "d"}
    role = NoticedRole(name="a/lab", waits_for=("analyst",), answers=False, steps=steps)
    notice = Notice(title="<study>", about="<section></section>", roles=(role,))
    assert Notice(**json.loads(json.dumps(notice.model_dump()))) == notice
