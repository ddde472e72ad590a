#include <stdio.h>
#include <string.h>
#include "md4c.h"
#include "md4c-html.h"
static void out(const MD_CHAR *t, MD_SIZE n, void *u) { fwrite(t, 1, n, stdout); }
int main(void) {
    const char *t = "# Title *here*\n\nA [link](http://x.org \"t\") and `code` &amp; <b>h</b> http://a.b/c~d.\n\n* one\n* two\n    1. inner\n\n> q\n\n| a | b |\n|---|:-:|\n| 1 | ~~2~~ |\n\n```py\nx = 1\n```\n\n**a*b** _c_ ~x~ $y$ www.example.com\n";
    md_html(t, (MD_SIZE)strlen(t), out, 0, MD_DIALECT_GITHUB, 0);
    md_html(t, (MD_SIZE)strlen(t), out, 0, MD_DIALECT_COMMONMARK | MD_FLAG_LATEXMATHSPANS, MD_HTML_FLAG_XHTML);
    return 0;
}
