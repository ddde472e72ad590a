"""Functions on query strings, and a pytest test with literals."""


def parse(text):
    found = {}
    for part in text.lstrip("?").split("&"):
        if not part:
            continue
        key, sign, value = part.partition("=")
        if not sign:
            found[key] = True
        elif key.endswith("[]"):
            found.setdefault(key[:-2], []).append(value)
        else:
            found[key] = value
    return found


def page(query, size=10):
    number = int(query.get("page", "1"))
    if number < 1:
        raise ValueError("pages begin with 1")
    return (number - 1) * size, number * size
