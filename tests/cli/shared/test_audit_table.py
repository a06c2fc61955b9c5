from consilience.cli.shared.audit_table import show_audit
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import Estimate, Finding

HIGH = Estimate(0.97, 0.95, 0.99)
EVIL = "\x1b]0;owned\x07[link=x]"


def shown(audit, capsys):
    show_audit(audit, "north/lab")
    return " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_the_worst_is_said_in_one_sentence_and_what_would_help(capsys):
    finding = Finding("collusion", "The analyst", "the anchor", median_r2=HIGH, top1=HIGH)
    said = shown(Audit((finding,), {}, 120, 4, ("Lower n_components.",)), capsys)
    assert "What others could get from north/lab: 120 rows, 4 columns" in said
    assert "The worst of it: The analyst, holding the anchor, would rebuild" in said
    assert "- Lower n_components." in said
    assert "Advantage" not in said


def test_who_took_part_is_explained_where_it_is_measured(capsys):
    told = {"advantage": HIGH, "exposed": HIGH, "control_advantage": Estimate(0.02, 0.0, 0.04)}
    said = shown(Audit((Finding("membership", "Anyone", "the nodes", **told),), {}, 9, 2), capsys)
    assert "of people who did not it is 0.02" in said


def test_names_of_columns_and_who_holds_them_are_shown_as_they_are(capsys):
    finding = Finding(
        "collusion", f"who{EVIL}", f"what{EVIL}", median_r2=HIGH, excluded=(f"site{EVIL}",)
    )
    said = shown(Audit((finding,), {}, 120, 4, (f"Drop {EVIL}",)), capsys)
    assert "site?]0;owned?[link=x]" in said
    assert "\x1b" not in said
    assert said.count("owned") == 6
