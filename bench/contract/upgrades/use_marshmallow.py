"""A shop that reads orders from JSON and writes them, as a user of marshmallow would."""
from datetime import date
from decimal import Decimal

from marshmallow import EXCLUDE, Schema, ValidationError, fields, post_load, pre_load, validate


class LineSchema(Schema):
    name = fields.Str(required=True, validate=validate.Length(min=1, max=20))
    price = fields.Decimal(places=2, as_string=True)
    count = fields.Int(load_default=1, validate=validate.Range(min=1))
    tags = fields.List(fields.Str(), load_default=list)


class OrderSchema(Schema):
    class Meta:
        unknown = EXCLUDE
        ordered = True

    number = fields.Int(required=True, strict=True)
    day = fields.Date(format="%Y-%m-%d")
    mail = fields.Email(allow_none=True)
    state = fields.Str(validate=validate.OneOf(["new", "paid", "sent"]), load_default="new")
    lines = fields.Nested(LineSchema, many=True)
    total = fields.Method("sum_of_lines", dump_only=True)

    @pre_load
    def strip(self, data, **_):
        return {key: value.strip() if isinstance(value, str) else value for key, value in data.items()}

    @post_load
    def with_lines(self, data, **_):
        data.setdefault("lines", [])
        return data

    def sum_of_lines(self, order):
        return str(sum(line["price"] * line["count"] for line in order["lines"]))


schema = OrderSchema()
order = schema.load(
    {"number": 7, "day": "2024-02-29", "mail": " a@b.org ", "gift": True,
     "lines": [{"name": "tea", "price": "3.555"}, {"name": "cup", "price": 8, "count": 2, "tags": ["x"]}]}
)
assert order["day"] == date(2024, 2, 29) and order["lines"][0]["price"] == Decimal("3.56")
print(schema.dumps(order))
for wrong in (
    {"number": "7"},
    {"number": 1, "mail": "nobody", "state": "lost"},
    {"number": 2, "lines": [{"price": "x"}, {"name": "", "count": 0}]},
    {"day": "29.2.2024"},
):
    try:
        schema.load(wrong)
    except ValidationError as error:
        print(error.normalized_messages())
print(OrderSchema(only=("number", "state"), many=True).dump([order, {"number": 8}]))
print(schema.load({"number": 3, "mail": None}, partial=True))
