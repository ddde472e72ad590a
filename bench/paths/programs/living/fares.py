"""What does a ticket cost?"""


def fare(age: int, zones: int, is_member: bool) -> int:
    """Return the fare in cents."""
    if age < 6:
        return 0
    price = 120 * zones
    if zones > 4:
        price = 450
    if age < 18 or age >= 65:
        price //= 2
    if is_member and price * 3 > 700:
        price -= 50
    return price
