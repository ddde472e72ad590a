/* Finds a pattern in each line of its input, and replaces what matches.

   Arguments: [-i] pattern replacement
   Patterns: c . [a-z] [^a-z] \d \w \s \c, each with * + ? after it; ^ and $; (a capture).
   Replacements: & is all that matched, \1 to \4 a capture, \u puts the next letter in capitals. */

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NODES 64
#define MAX_SET 32
#define MAX_CAPTURES 4
#define MAX_LINE 256
#define MANY 10000

enum what { CHAR, ANY, SET, START, FINISH, OPEN, CLOSE, MATCH };

struct node {
    enum what what;
    int c;           /* of CHAR; of OPEN and CLOSE the number of the capture */
    int least, most; /* how often */
    int negated;
    unsigned char set[MAX_SET]; /* a bit for each byte */
};

struct span {
    int from, to;
};

static struct node nodes[MAX_NODES];
static int n_nodes;
static int n_captures;
static int ignore_case;
static const char *text;
static int length;
static struct span captures[MAX_CAPTURES];
static char out[4 * MAX_LINE];
static int n_out;
static int matches, lines_changed;

/* --- sets of bytes ------------------------------------------------------------------------- */

static int folded(int c)
{
    return ignore_case ? tolower(c) : c;
}

static void add(struct node *node, int c)
{
    c = folded(c);
    node->set[c / 8] |= 1 << c % 8;
}

static void add_range(struct node *node, int first, int last)
{
    int c;
    for (c = first; c <= last; c++)
        add(node, c);
}

static int has(const struct node *node, int c)
{
    c = folded(c);
    return (node->set[c / 8] >> c % 8 & 1) != node->negated;
}

static void add_named(struct node *node, int name)
{
    switch (name) {
    case 'w':
        add_range(node, 'a', 'z');
        add_range(node, 'A', 'Z');
        add(node, '_');
        /* and digits */
    case 'd':
        add_range(node, '0', '9');
        break;
    case 's':
        add(node, ' ');
        add(node, '\t');
        break;
    }
}

/* --- compiling ------------------------------------------------------------------------------ */

static struct node *new_node(enum what what)
{
    struct node *node = &nodes[n_nodes++];
    assert(n_nodes <= MAX_NODES);
    memset(node, 0, sizeof *node);
    node->what = what;
    node->least = node->most = 1;
    return node;
}

static const char *compile_set(const char *p)
{
    struct node *node = new_node(SET);
    if (*p == '^') {
        node->negated = 1;
        p++;
    }
    do {
        if (p[0] == '\\' && p[1] != 0 && strchr("dws", p[1])) {
            add_named(node, p[1]);
            p += 2;
        } else if (p[1] == '-' && p[2] != ']' && p[2] != 0) {
            add_range(node, (unsigned char)p[0], (unsigned char)p[2]);
            p += 3;
        } else {
            add(node, (unsigned char)*p++);
        }
    } while (*p != ']' && *p != 0);
    return *p == ']' ? p + 1 : NULL;
}

static const char *compile_escape(const char *p)
{
    if (*p != 0 && strchr("dws", *p))
        add_named(new_node(SET), *p);
    else
        new_node(CHAR)->c = folded((unsigned char)*p);
    return *p ? p + 1 : NULL;
}

static const char *compile_count(const char *p)
{
    struct node *node = &nodes[n_nodes - 1];
    if (n_nodes == 0 || node->what > SET)
        return p;
    switch (*p) {
    case '*':
        node->least = 0;
        node->most = MANY;
        return p + 1;
    case '+':
        node->most = MANY;
        return p + 1;
    case '?':
        node->least = 0;
        return p + 1;
    }
    return p;
}

static const char *compile_one(const char *p, int *open)
{
    int c = (unsigned char)*p++;
    switch (c) {
    case '.':
        new_node(ANY);
        return p;
    case '[':
        return compile_set(p);
    case '\\':
        return compile_escape(p);
    case '^':
        new_node(START);
        return p;
    case '(':
        if (n_captures == MAX_CAPTURES)
            return NULL;
        *open = n_captures;
        new_node(OPEN)->c = n_captures++;
        return p;
    case ')':
        if (*open < 0)
            return NULL;
        new_node(CLOSE)->c = *open;
        *open = -1;
        return p;
    default:
        new_node(c == '$' && *p == 0 ? FINISH : CHAR)->c = folded(c);
        return p;
    }
}

/* Turn a pattern into nodes, of which the last is MATCH.  Is it one? */
static int compile(const char *p)
{
    int open = -1;
    while (p != NULL && *p != 0) {
        p = compile_one(p, &open);
        if (p != NULL)
            p = compile_count(p);
    }
    new_node(MATCH);
    return p != NULL && open < 0;
}

/* --- matching ------------------------------------------------------------------------------- */

static int takes(const struct node *node, int at)
{
    int c;
    if (at >= length)
        return 0;
    c = (unsigned char)text[at];
    switch (node->what) {
    case CHAR:
        return folded(c) == node->c;
    case ANY:
        return 1;
    case SET:
        return has(node, c);
    default:
        return 0;
    }
}

/* The end of the text that nodes from this one match at a place; -1 if they do not. */
static int match(int number, int at)
{
    const struct node *node = &nodes[number];
    struct span kept;
    int count = 0, end;
    switch (node->what) {
    case MATCH:
        return at;
    case START:
        return at == 0 ? match(number + 1, at) : -1;
    case FINISH:
        return at == length ? match(number + 1, at) : -1;
    case OPEN:
    case CLOSE:
        kept = captures[node->c];
        if (node->what == OPEN)
            captures[node->c].from = at;
        else
            captures[node->c].to = at;
        end = match(number + 1, at);
        if (end < 0)
            captures[node->c] = kept;
        return end;
    default:
        break;
    }
    while (count < node->most && takes(node, at + count))
        count++;
    while (count >= node->least) {
        end = match(number + 1, at + count);
        if (end >= 0)
            return end;
        count--;
    }
    return -1;
}

/* --- replacing ------------------------------------------------------------------------------ */

static void put(int c)
{
    assert(n_out < (int)sizeof out - 1);
    out[n_out++] = c;
}

static void put_span(struct span span, int *capital)
{
    int i;
    for (i = span.from; i < span.to; i++) {
        put(*capital ? toupper((unsigned char)text[i]) : text[i]);
        *capital = 0;
    }
}

static void put_replacement(const char *r, struct span all)
{
    int capital = 0;
    for (; *r != 0; r++) {
        if (*r == '&') {
            put_span(all, &capital);
        } else if (*r == '\\' && r[1] >= '1' && r[1] <= '4') {
            put_span(captures[*++r - '1'], &capital);
        } else if (*r == '\\' && r[1] == 'u') {
            capital = 1;
            r++;
        } else {
            if (*r == '\\' && r[1] != 0)
                r++;
            put(*r);
        }
    }
}

static void replace_in_line(const char *replacement)
{
    int at = 0, found = 0;
    n_out = 0;
    while (at <= length) {
        struct span all;
        memset(captures, 0, sizeof captures);
        all.from = at;
        all.to = match(0, at);
        if (all.to >= 0) {
            put_replacement(replacement, all);
            found++;
        }
        if (all.to > at) {
            at = all.to;
        } else {
            if (at < length)
                put(text[at]);
            at++;
        }
    }
    out[n_out] = 0;
    matches += found;
    if (found > 0)
        lines_changed++;
}

int main(int argc, char **argv)
{
    char line[MAX_LINE];
    int lines = 0;
    if (argc > 1 && strcmp(argv[1], "-i") == 0) {
        ignore_case = 1;
        argv++;
        argc--;
    }
    if (argc != 3 || !compile(argv[1])) {
        printf("bad pattern\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        text = line;
        length = strlen(line);
        replace_in_line(argv[2]);
        printf("%s\n", out);
        lines++;
    }
    assert(lines_changed <= lines && lines_changed <= matches);
    printf("%d of %d lines, %d matches\n", lines_changed, lines, matches);
    return matches > 0 ? 0 : 1;
}
