"""Does the chain follow what unrecorded code does with what recorded code gave it?"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.explain.explaining import explain_python

COOKIES = """
     from email.message import Message
     from io import BytesIO
     from urllib.request import HTTPCookieProcessor, HTTPHandler, build_opener
     from urllib.response import addinfourl
     class Shop(HTTPHandler):
         def http_open(self, request):
             headers = Message()
             headers["Set-Cookie"] = "cart=17"
             response = addinfourl(BytesIO(b"ok"), headers, request.full_url, 200)
             response.msg = "OK"
    +        response.headers = Message()  # [fault]
             return response
     cookies = HTTPCookieProcessor()
     opener = build_opener(Shop(), cookies)
     opener.open("http://shop.example/")
     assert [cookie.name for cookie in cookies.cookiejar] == ["cart"]  # [fails]
"""


def test_what_a_library_stores_comes_from_what_a_callback_returned(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, COOKIES, harmless=False)
    assert answer.result.status == "explained"
    assert answer.links[0] == "fault"


GONE = """
     class Proxy:
         def __init__(self, lock):
             self.lock = lock
    +class Other:
    +    def __init__(self, lock):
    +        self.kept = lock
     class Base:
    -    def __init__(  # [fault]
    +    def _initialize(  # [fault]
             self,
             path,
             timeout=-1,
         ):
             self.path = path
             self.timeout = timeout
"""
USER = """
from program import Base
class Named(Base):
    def __init__(self, path, owner):
        super().__init__(path, 3)
        self.owner = owner
assert Named("a", "me").timeout == 3
"""


def test_a_method_that_a_test_outside_the_tree_inherited_is_gone(tmp_path: Path) -> None:
    """The failing run calls the method of `object` instead, which has no statements."""
    test = tmp_path / "outside.py"
    test.write_text(USER)
    answer = explain_python(tmp_path, GONE, f"PYTHONPATH=. {sys.executable} {test}", harmless=False)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.links[0] == "fault"
