"""A user's program: a small database of books in memory."""

from tinydb import Query, TinyDB
from tinydb.operations import delete, increment
from tinydb.storages import MemoryStorage

db = TinyDB(storage=MemoryStorage)
books = db.table("books")
books.insert_multiple(
    [
        {"title": "Emma", "year": 1815, "tags": ["novel"], "read": 0},
        {"title": "Persuasion", "year": 1817, "tags": ["novel", "late"], "read": 1},
        {"title": "Letters", "year": 1817, "tags": [], "read": 0},
    ]
)
book = Query()
late = books.search((book.year >= 1816) & book.tags.any(["late", "lost"]))
books.update(increment("read"), book.title == "Emma")
books.update(delete("tags"), ~(book.tags.exists() & (book.year == 1815)))
books.upsert({"title": "Sanditon", "year": 1817}, book.title == "Sanditon")
removed = books.remove(book.title.matches("L.*"))
print(late, removed, books.all(), len(books), books.contains(book.read > 0))
assert books.get(book.title == "Emma")["read"] == 1
