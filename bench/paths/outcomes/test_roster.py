from roster import check


def test_two_in_turn():
    assert check([("ann", 8, 12), ("bob", 12, 17)]) == "in turn"
