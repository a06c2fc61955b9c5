from consilience.desk.commands import Command, option


def test_what_is_shown_is_what_is_run_but_for_the_form_of_the_answer():
    command = Command(("check", "--data", "my table.csv"), ("--json",), given="a secret")
    assert command.shown == "consilience check --data 'my table.csv'"
    assert command.run == ("check", "--data", "my table.csv", "--json")
    assert "secret" not in command.shown


def test_a_value_that_looks_like_an_option_stays_a_value():
    assert option("--by", "--yes") == ("--by=--yes",)
