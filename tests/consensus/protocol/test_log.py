from consilience.consensus.protocol.log import MAX_LINES, Log, quoted


def test_a_log_ends_somewhere_and_says_so():
    log = Log()
    for k in range(3 * MAX_LINES):
        log.append(f"line {k}")
    assert len(log) == MAX_LINES + 1
    assert log[-1] == "more happened than is noted here"


def test_no_line_commands_a_terminal():
    log = Log()
    log.append("\x1b]0;title\x07\x9b2J\nnext")
    assert log == ["?]0;title??2J?next"]


def test_short_words_of_others_stay_as_they_are():
    assert quoted("no") == "no"
