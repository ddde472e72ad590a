"""Does the chain lead to the loop or the call in which a Python test that did not end was?"""

from __future__ import annotations

from pathlib import Path

from tests.explain.explaining import ExplainedPair, explain_python

LOOP = """
     SOURCE = iter(int, 1)  # it never ends, and stands still when the test is stopped
     def step(n):
    -    return n - 1  # [fault]
    +    return n - next(SOURCE)  # [fault]
     def count(n):
         found = 0
         while n > 0:  # [loop]
             n = step(n)
             found += 1
         return found
     assert count(3) == 3
"""
# The loop calls no function, so no call has its events written.
CYCLE = """
     class Node:
         def __init__(self, value, after=None):
             self.value, self.after = value, after
     def insert(head, value):
         node = head
         while node.after is not None and node.after.value < value:  # [loop]
             node = node.after
    -    node.after = Node(value, node.after)  # [fault]
    +    node.after = Node(value, node)  # [fault]
     head = Node(0)
     for number in (3, 1, 2):
         insert(head, number)
     assert head.after.value == 1
"""
GENERATOR = """
     def numbers():
         n = 0
         while True:
             n += 1
             yield n
     SOURCE = numbers()
     def first(limit):
         while True:
             number = next(SOURCE)
    -        if number * number > limit:  # [fault]
    +        if number * number < limit < number:  # [fault]
                 return number
     assert first(50) == 8
"""
WAITS = """
     import queue, threading
     def work(jobs, results):
         while (job := jobs.get()) is not None:  # [waits]
             results.put(job * 2)
     def run(numbers):
         jobs, results = queue.Queue(), queue.Queue()
         worker = threading.Thread(target=work, args=(jobs, results), daemon=True)
         worker.start()
         for number in numbers:
             jobs.put(number)
    -    jobs.put(None)  # [fault]
    +    pass  # [fault]
         worker.join()
         return [results.get() for _ in numbers]
     assert run([1, 2]) == [2, 4]
"""


def hung(folder: Path, text: str) -> ExplainedPair:
    """Explain a test that does not end, and check that the chain leads to its root."""
    answer = explain_python(folder, text, asked_timeout=2.0)
    assert answer.result.failure.kind == "timeout"
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.links[0] == "fault"
    return answer


def test_an_endless_loop_is_explained(tmp_path: Path) -> None:
    answer = hung(tmp_path, LOOP)
    assert answer.links[-1] == "loop"
    assert "the loop that did not end" in answer.chain[-1].says


def test_a_loop_that_calls_nothing_is_recorded(tmp_path: Path) -> None:
    assert hung(tmp_path, CYCLE).links[-1] == "loop"


def test_a_generator_that_waits_for_the_next_turn_is_not_the_loop(tmp_path: Path) -> None:
    assert hung(tmp_path, GENERATOR).links == ["fault"]


def test_a_thread_that_waits_leads_to_the_call_that_is_missing(tmp_path: Path) -> None:
    answer = hung(tmp_path, WAITS)
    assert answer.links[-1] == "waits"
    assert "did not return" in answer.chain[-1].says
