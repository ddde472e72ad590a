from werkzeug.routing import Map, Rule
from werkzeug.test import Client, EnvironBuilder
from werkzeug.wrappers import Request, Response
from werkzeug.datastructures import Headers, MultiDict
from werkzeug.http import parse_options_header, dump_cookie, parse_accept_header, http_date, quote_etag
from werkzeug.security import safe_join
from werkzeug.utils import secure_filename, redirect
m = Map([Rule("/", endpoint="i"), Rule("/u/<int:n>", endpoint="u"), Rule("/p/<path:x>/", endpoint="p")])
@Request.application
def app(request):
    a = m.bind_to_environ(request.environ)
    endpoint, args = a.match()
    r = Response(f"{endpoint} {args} {request.args.get('q')} {request.form.to_dict()}")
    r.set_cookie("s", "a b;c", max_age=3)
    return r
c = Client(app)
for path in ("/", "/u/3?q=%C3%A9", "/p/a/b/"):
    r = c.get(path); print(r.status, r.get_data(as_text=True), r.headers.get("Set-Cookie"))
print(c.post("/", data={"x": "1", "y": "é"}).get_data(as_text=True))
print(parse_options_header('form-data; name="a"; filename="b \\" c"'), dump_cookie("k", "v", httponly=True))
print(parse_accept_header("text/html;q=0.5, */*").best, secure_filename("../a b.txt"), safe_join("/a", "../b"))
print(redirect("/x y").headers["Location"], Headers([("A", "1")]).get("a"), MultiDict([("a", "1")]).getlist("a"), quote_etag("x"))
