"""A user's program: links, a table and some edits of a page."""

from bs4 import BeautifulSoup, Comment

PAGE = """<html><head><title>Shop &amp; more</title></head><body>
<!-- top --><p class="intro big">Our <b>tools</b>:</p>
<table id="prices"><tr><th>name</th><th>price</th></tr>
<tr><td>nail</td><td>1.20</td></tr><tr><td>bolt<td>0.40</tr></table>
<a href="/a?x=1&y=2" rel="nofollow next">first</a> <a>no link</a><br></body></html>"""

soup = BeautifulSoup(PAGE, "html.parser")
print(soup.title.string, soup.p["class"], soup.find(id="prices").name)
for row in soup.find_all("tr")[1:]:
    print([cell.get_text(strip=True) for cell in row.find_all("td")])
print([link.get("href") for link in soup.find_all("a")], soup.a["rel"])
print(soup.find_all(string=lambda text: isinstance(text, Comment)))
soup.b.replace_with("things")
soup.find("a", href=None).decompose()
new = soup.new_tag("em", attrs={"class": "x"})
new.string = "new <tag>"
soup.p.append(new)
print(soup.p.prettify())
print(str(soup.a), soup.a.next_sibling, len(list(soup.descendants)))
