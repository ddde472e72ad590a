"""Does the chain follow what unrecorded code does with what recorded code gave it?"""

from __future__ import annotations

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
