from benchmarks.attacks.dimensions import main


def test_each_share_of_the_dimensions_is_set_beside_paper_mode(capsys, tmp_path):
    main(str(tmp_path), "1", "wine")
    head, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * 5
    rows = {tuple(line.split(",")[1:3]): line.split(",") for line in lines}
    assert rows["bounds", "paper mode"][5] == "1.000"
    r2 = head.split(",").index("median R2")
    # Rows of this set are rounded and leave in double precision: half tells nearly as much.
    assert 0.85 < float(rows["bounds", "1/2"][r2]) <= float(rows["bounds", "paper mode"][r2])
