#include <stdio.h>
#include "ini.h"
static int h(void *u, const char *s, const char *n, const char *v) { (*(int *)u)++; printf("[%s] %s=%s\n", s, n, v ? v : "(null)"); return 1; }
int main(void) {
    int n = 0;
    const char *t = "\xef\xbb\xbf; comment\n[a]\nx = 1 ; inline\ny: two words  \nlong = one\n  two\n[b\nz\n[c]\nq=\"s\"\n";
    int r = ini_parse_string(t, h, &n);
    printf("%d %d\n", r, n);
    r = ini_parse_string("[s]\nk=v\n=x\n", h, &n);
    printf("%d %d\n", r, n);
    return 0;
}
