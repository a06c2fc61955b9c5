from benchmarks.pages import END, fill_table, fold_tables, start_of, write_page


def test_only_the_table_between_its_marks_changes(tmp_path):
    page = tmp_path / "page.md"
    other = f"{start_of('other')}\nkept\n{END}\n"
    page.write_text(f"before\n{start_of('attacks')}\nstale\n{END}\n{other}after\n")
    assert list(fill_table(page, "attacks", "| new |")) == [page]
    text = page.read_text()
    assert "stale" not in text
    assert "| new |" in text
    assert text.startswith("before")
    assert text.endswith(f"{other}after\n")


def test_page_without_marks_or_without_page_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    assert list(fill_table(page, "attacks", "new")) == []
    page.write_text(f"{start_of('attacks')} but no end")
    assert list(fill_table(page, "attacks", "new")) == []


def test_a_page_is_the_text_beside_the_code_with_its_values(tmp_path):
    (tmp_path / "code.md").write_text("ARI {cell[ours]:.2f}\n")
    page = tmp_path / "docs" / "page.md"
    assert write_page(str(tmp_path / "code.py"), page, cell={"ours": 0.731}) == page
    assert page.read_text() == "ARI 0.73\n"


def test_a_short_table_stands_open_and_a_long_one_is_named_by_the_last_heading_before_it():
    row, head = "| a | 1 |\n", "| x | y |\n|---|---|\n"
    text = f"# Page\n\n{head}{9 * row}\n## Then `a` < b\n\n{head}{10 * row}\nend\n"
    folded = fold_tables(text)
    assert folded.count("<details>") == folded.count("</details>") == 1
    assert "<summary>Then a &lt; b, 10 rows</summary>\n\n| x | y |" in folded
    assert folded.endswith("| a | 1 |\n\n</details>\n\nend\n")
    assert folded.replace("<details>", "").count("| a | 1 |") == 19
