from consilience.notebook import html_table


def test_texts_are_escaped_and_numbers_stand_to_the_right():
    html = html_table(["who", "n"], [["<script>", "1,234"], ["b", "–"]], "a & b", "<note>")
    assert "<script>" not in html
    assert "a &amp; b" in html
    assert "&lt;note&gt;" in html
    assert html.count("text-align:right") == 3
