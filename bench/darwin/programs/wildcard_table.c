/* Does a path fit a pattern?   wildcard_table PATTERN PATH
 *
 * The same language as wildcard.cpp, without {ab,cd}: one row of a table for each sign of the
 * pattern says how much of the path fits so far.
 */
#include <stdio.h>
#include <string.h>

enum { MAX = 80 };

enum kind { LITERAL, ANY, RUN, CROSSING, CLASS };

struct sign {
    enum kind kind;
    char c;
    const char *members;
    int count, is_negated;
};

static struct sign signs[MAX];
static int n_signs;

static int read_class(const char *p, struct sign *s)
{
    const char *end = strchr(p + 1, ']');
    if (end == NULL)
        return 0;
    s->kind = CLASS;
    s->is_negated = p[1] == '!';
    s->members = p + 1 + s->is_negated;
    s->count = end - s->members;
    return end + 1 - p;
}

static int parse(const char *p)
{
    while (*p != '\0') {
        struct sign *s;
        if (n_signs == MAX)
            return 0;
        s = &signs[n_signs++];
        if (*p == '[') {
            int length = read_class(p, s);
            if (length == 0)
                return 0;
            p += length;
            continue;
        }
        if (*p == '*') {
            s->kind = p[1] == '*' ? CROSSING : RUN;
            p += s->kind == CROSSING ? 2 : 1;
            continue;
        }
        if (*p == '?') {
            s->kind = ANY;
            p++;
            continue;
        }
        if (*p == '\\' && p[1] != '\0')
            p++;
        s->kind = LITERAL;
        s->c = *p++;
    }
    return 1;
}

static int is_member(const struct sign *s, char c)
{
    int i = 0;
    while (i < s->count) {
        if (i + 2 < s->count && s->members[i + 1] == '-') {
            if (s->members[i] <= c && c <= s->members[i + 2])
                return 1;
            i += 3;
            continue;
        }
        if (s->members[i] == c)
            return 1;
        i++;
    }
    return 0;
}

static int takes(const struct sign *s, char c)
{
    switch (s->kind) {
    case LITERAL:
        return c == s->c;
    case CROSSING:
        return 1;
    case CLASS:
        if (c == '/')
            return 0;
        return is_member(s, c) != s->is_negated;
    default:
        return c != '/';
    }
}

static int fits(const char *text)
{
    static char row[MAX + 1], next[MAX + 1];
    int length = strlen(text), i, j;
    if (length > MAX)
        return 0;
    row[0] = 1;
    for (i = 0; i < n_signs; i++) {
        int repeats = signs[i].kind == RUN || signs[i].kind == CROSSING;
        memset(next, 0, sizeof next);
        for (j = 0; j <= length; j++) {
            if (repeats && row[j])
                next[j] = 1;
            if (j == 0 || !takes(&signs[i], text[j - 1]))
                continue;
            if (repeats ? next[j - 1] : row[j - 1])
                next[j] = 1;
        }
        memcpy(row, next, sizeof row);
    }
    return row[length];
}

int main(int argc, char **argv)
{
    int is_fit;
    if (argc < 3 || !parse(argv[1])) {
        puts("bad pattern");
        return 2;
    }
    is_fit = fits(argv[2]);
    puts(is_fit ? "fits" : "does not fit");
    return !is_fit;
}
