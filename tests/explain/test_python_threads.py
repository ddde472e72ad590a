"""Does the chain follow a wrong value from one thread of a Python program to another?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain_python

QUEUE = """
     import queue, threading
     def work(jobs, results):
         while True:
             job = jobs.get()
             if job is None:
                 return
    -        results.put((job, job * 2))  # [fault]
    +        results.put((job, job + 2))  # [fault]
     def run(numbers):
         jobs, results = queue.Queue(), queue.Queue()
         worker = threading.Thread(target=work, args=(jobs, results))
         worker.start()
         for number in [*numbers, None]:
             jobs.put(number)
         worker.join()
         return dict(results.get() for _ in numbers)
     assert run([1, 2, 3]) == {1: 2, 2: 4, 3: 6}  # [fails]
"""
POOL = """
     from concurrent.futures import ThreadPoolExecutor
     def price(item):
         name, cents = item
    -    return name, cents * 2  # [fault]
    +    return name, cents + 2  # [fault]
     def total(items):
         with ThreadPoolExecutor(2) as pool:
             return sum(cents for _, cents in pool.map(price, items))
     assert total([("a", 3), ("b", 5)]) == 16  # [fails]
"""
SHARED = """
     import threading
     class Counter:
         def __init__(self):
             self.counts, self.lock = {}, threading.Lock()
         def add(self, words):  # [received]
             for word in words:
                 with self.lock:
                     self.counts[word] = self.counts.get(word, 0) + 1
     def count(texts):
         counter = Counter()
         for text in texts:
    -        thread = threading.Thread(target=counter.add, args=(text.split(),))  # [fault]
    +        thread = threading.Thread(target=counter.add, args=(text.split("b"),))  # [fault]
             thread.start()
             thread.join()
         return counter.counts
     assert count(["a b a", "b b"]) == {"a": 2, "b": 3}  # [fails]
"""
# The threads take turns so often that most switches are within a function.
TURNS = """
     import sys, threading
     sys.setswitchinterval(1e-6)
     def squares(count):
         for number in range(count):
             yield number * number
     def part(results, count):
    -    results[count] = sum(each for each in squares(count) if each % 3)  # [fault]
    +    results[count] = sum(each for each in squares(count) if each % 4)  # [fault]
     def run(count):
         results = {}
         threads = [threading.Thread(target=part, args=(results, 50 * n)) for n in range(count)]
         for thread in threads:
             thread.start()
         own = sum(squares(200))
         for thread in threads:
             thread.join()
         return own + sum(results.values())
     assert run(4) == 3639200  # [fails]
"""


@pytest.mark.parametrize("text", [QUEUE, POOL, SHARED, TURNS])
def test_a_value_is_followed_to_another_thread(text: str, tmp_path: Path) -> None:
    answer = explain_python(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.links[0] == "fault"
    assert answer.links[-1] == "fails"


def test_what_a_thread_was_started_with_is_on_the_chain(tmp_path: Path) -> None:
    assert "received" in explain_python(tmp_path, SHARED).links
