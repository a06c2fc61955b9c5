from consilience.study.circles import circles_of


def test_rows_and_columns_have_circles_of_their_own(case):
    found = {circle.kind: circle for circle in circles_of(case.study, "b/lab")}
    assert found["row"].members == ("b/lab", "b/life")
    assert found["column"].members == ("a/lab", "b/lab")
    assert (found["row"].maker, found["column"].maker) == ("b/lab", "a/lab")


def test_where_all_explain_in_all_features_everybody_shares_every_column(of_kind):
    case = of_kind("classes")
    case.terms["learning"] |= {"explain": "all"}
    circles = {circle.kind: circle for circle in circles_of(case.study, "b/life")}
    assert circles["column"].members == circles["column-lab"].members == tuple(case.parties)
    assert circles["column-lab"].name == "column lab"
    assert circles["row"].members == ("b/lab", "b/life")
