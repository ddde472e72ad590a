"""A user's program: records of a library with checks, defaults, conversions and comparisons."""

import attr
from attrs import Factory, asdict, define, evolve, field, fields, frozen, validators


@frozen
class Author:
    name: str = field(converter=str.strip)
    born: int | None = field(default=None, validator=validators.optional(validators.ge(1000)))


@define(order=True)
class Book:
    title: str
    pages: int = field(validator=[validators.instance_of(int), validators.gt(0)])
    authors: list = Factory(list)
    isbn: str = field(default="", repr=False, eq=False)

    @pages.validator
    def _even(self, attribute, value):
        if value % 2:
            raise ValueError(f"{attribute.name} is odd")


@attr.s(auto_attribs=True, slots=True, kw_only=True)
class Loan:
    book: Book
    days: int = attr.ib(default=14, metadata={"unit": "day"})


books = [Book("B", 120, [Author(" Ann ")]), Book("A", 80, isbn="x"), evolve(Book("A", 80), pages=82)]
print([book.title for book in sorted(books)], books[0].authors[0], books[1] == Book("A", 80))
print(asdict(Loan(book=books[0])), [each.name for each in fields(Book)], attr.has(Loan))
for pages in (7, -2, "8"):
    try:
        books[1].pages = pages
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error.args[0])[:30])
try:
    books[0].authors[0].name = "Bob"
except attr.exceptions.FrozenInstanceError as error:
    print(error.args, hash(Author("c", 1900)) == hash(Author("c ", 1900)), repr(books[2]))
