"""A user's program: prices that are fetched once, and the last pages that were seen."""

from cachetools import LFUCache, LRUCache, TTLCache, cached, cachedmethod
from cachetools.keys import hashkey

clock = 0


def now():
    return clock


@cached(cache=LRUCache(maxsize=2), key=lambda item, region="eu": hashkey(item))
def price(item, region="eu"):
    return len(item) * 10


class Pages:
    def __init__(self):
        self.seen = LFUCache(maxsize=3, getsizeof=len)

    @cachedmethod(lambda self: self.seen)
    def page(self, number):
        return "x" * number


found = [price(item) for item in ("tea", "coffee", "tea", "cocoa", "coffee")]
pages = Pages()
sizes = [len(pages.page(number)) for number in (1, 2, 1, 3, 4)]
sessions = TTLCache(maxsize=4, ttl=10, timer=now)
sessions["ann"] = 1
clock = 5
sessions["bob"] = 2
clock = 12
alive = sorted(sessions)
sessions.expire()
print(found, sizes, alive, len(sessions), pages.seen.currsize)
assert alive == ["bob"]
