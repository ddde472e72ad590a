from query import page, parse


def test_page():
    query = parse("?page=2&all")
    assert query["all"]
    assert page(query) == (10, 20)
