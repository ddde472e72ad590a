import markdown
text = """# Title *here*

A [link](http://x.org "t") and `code` & <b>html</b>.

* one
* two
    1. inner
    2. next

> quote

Term
: definition

| a | b |
|---|:-:|
| 1 | 2 |

```python
x = 1
```

Note[^1] and ![img](a.png)

[^1]: The note.
"""
print(markdown.markdown(text))
print(markdown.markdown(text, extensions=["tables", "fenced_code", "footnotes", "def_list", "toc", "attr_list"]))
md = markdown.Markdown(extensions=["meta", "toc"])
print(md.convert("title: x\n\n# A\n\n## B\n"), md.Meta, md.toc_tokens)
