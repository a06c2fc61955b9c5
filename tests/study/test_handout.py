from consilience.study.handout import hand_out_keys
from consilience.study.study import Study

HEAD = """
name = "n"
grid = {rows = ["a", "b"], columns = ["lab", "life"]}
[schema.lab]
x = {kind = "numeric", bounds = [0, 1]}
y = {kind = "numeric", bounds = [0, 1]}
[schema.life]
u = {kind = "numeric", bounds = [0, 1]}
v = {kind = "numeric", bounds = [0, 1]}
"""
LEARN = '[learning]\nholder = "lab"\ntarget = "t"\nclasses = ["0", "1"]\n'


def keys(more=""):
    return hand_out_keys(Study.from_text(HEAD + more))


def test_rows_share_row_keys_and_columns_share_column_keys():
    dealt = keys()
    assert {frozenset(k) for k in dealt.values()} == {frozenset({"row", "column"})}
    assert dealt["a/lab"]["row"] == dealt["a/life"]["row"] != dealt["b/lab"]["row"]
    assert dealt["a/lab"]["column"] == dealt["b/lab"]["column"] != dealt["a/life"]["column"]


def test_who_explains_in_all_features_holds_all_column_keys():
    dealt = keys(LEARN + 'explain = "all"\n')
    assert dealt["a/lab"]["column-life"] == dealt["b/life"]["column"]
    assert set(dealt["a/lab"]) == {"row", "column", "column-life"}


def test_public_rows_need_one_secret_of_all():
    smote = f'[anchor]\nkind = "smote"\npublic = "p.csv"\npublic_sha256 = "{"0" * 64}"\n'
    dealt = keys(LEARN + 'explain = "all"\n' + smote)
    assert {k["common"] for k in dealt.values()} == {dealt["a/lab"]["common"]}
    assert set(dealt["b/life"]) == {"row", "column", "common"}


def test_peers_hold_no_column_key_and_streams_none_at_all():
    people = HEAD.replace('"a", "b"', '"a"')
    dealt = hand_out_keys(Study.from_text(people + "[consensus]\nseed = 1\n"))
    assert set(dealt["a/lab"]) == {"row"}
    lab = HEAD.partition("[schema.life]")[0].replace(', "life"', "")
    assert hand_out_keys(Study.from_text(lab + "[stream]\n")) == {}
