/* A scanner for a small language: reads a program, prints its tokens, and a table of its names. */

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE 4096
#define MAX_NAMES 32
#define MAX_TEXT 40
#define TAB 4

enum kind { END, NAME, KEYWORD, NUMBER, STRING, OPERATOR, PUNCTUATION, BAD, KINDS };

static const char *kind_names[KINDS] = {"end", "name", "keyword", "number",
                                        "string", "operator", "punctuation", "bad"};

struct token {
    enum kind kind;
    int line, column;
    int length; /* in the source */
    long value; /* of a number; of a string its length without escapes */
    char text[MAX_TEXT];
};

struct name {
    char text[MAX_TEXT];
    int uses;
    int first_line, last_line;
    int depth; /* of the braces where it was first seen */
};

static char source[MAX_SOURCE];
static int size;
static int at;
static int line = 1;
static int column = 1;
static int depth;
static int skipped; /* bytes of white space and comments */
static int nesting; /* of comments */
static int count[KINDS];
static struct name names[MAX_NAMES];
static int n_names;

/* --- bytes ------------------------------------------------------------------------------- */

static int peek(int ahead)
{
    if (at + ahead >= size)
        return 0;
    return (unsigned char)source[at + ahead];
}

static int advance(void)
{
    int c = peek(0);
    at++;
    if (c == '\n') {
        line++;
        column = 1;
    } else if (c == '\t') {
        column = (column - 1) / TAB * TAB + TAB + 1;
    } else {
        column++;
    }
    return c;
}

static int accept(int wanted)
{
    if (peek(0) != wanted)
        return 0;
    advance();
    return 1;
}

/* --- what is between tokens ---------------------------------------------------------------- */

static void skip_comment(void)
{
    nesting = 1;
    advance();
    advance();
    while (nesting > 0 && at < size) {
        if (peek(0) == '/' && peek(1) == '*') {
            nesting++;
            advance();
        } else if (peek(0) == '*' && peek(1) == '/') {
            nesting--;
            advance();
        }
        advance();
    }
}

static void skip_space(void)
{
    int start = at;
    for (;;) {
        if (isspace(peek(0))) {
            advance();
        } else if (peek(0) == '/' && peek(1) == '*') {
            skip_comment();
        } else if (peek(0) == '/' && peek(1) == '/') {
            while (at < size && peek(0) != '\n')
                advance();
        } else {
            break;
        }
    }
    skipped += at - start;
}

/* --- tokens --------------------------------------------------------------------------------- */

static int is_keyword(const char *text)
{
    static const char *const keywords[] = {"else", "for", "func", "if", "let", "return", "while"};
    int low = 0;
    int high = sizeof keywords / sizeof *keywords - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        int order = strcmp(text, keywords[middle]);
        if (order == 0)
            return 1;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return 0;
}

static void scan_word(struct token *token)
{
    int length = 0;
    while (isalnum(peek(0)) || peek(0) == '_') {
        int c = advance();
        if (length < MAX_TEXT - 1)
            token->text[length++] = c;
    }
    token->text[length] = 0;
    token->kind = is_keyword(token->text) ? KEYWORD : NAME;
}

static int digit_of(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static void scan_number(struct token *token)
{
    int base = 10;
    long value = 0;
    if (peek(0) == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
        base = peek(1) == 'x' ? 16 : 2;
        advance();
        advance();
    }
    while (digit_of(peek(0)) < base || peek(0) == '_') {
        int c = advance();
        if (c != '_')
            value = value * base + digit_of(c);
    }
    token->kind = isalpha(peek(0)) ? BAD : NUMBER;
    token->value = value;
    snprintf(token->text, MAX_TEXT, "%ld", value);
}

static int unescaped(int c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '0':
        return 0;
    default:
        return c;
    }
}

static void scan_string(struct token *token)
{
    int length = 0;
    int written = 0;
    token->kind = STRING;
    advance();
    while (at < size && peek(0) != '"' && peek(0) != '\n') {
        int c = advance();
        if (c == '\\')
            c = unescaped(advance());
        if (isprint(c) && written < MAX_TEXT - 1)
            token->text[written++] = c;
        length++;
    }
    if (!accept('"'))
        token->kind = BAD;
    token->text[written] = 0;
    token->value = length;
}

static void scan_operator(struct token *token)
{
    int c = advance();
    token->text[0] = c;
    token->text[1] = token->text[2] = 0;
    token->kind = OPERATOR;
    switch (c) {
    case '<':
    case '>':
    case '=':
    case '!':
        if (accept('='))
            token->text[1] = '=';
        break;
    case '&':
    case '|':
        if (accept(c))
            token->text[1] = c;
        break;
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
        break;
    case '{':
        depth++;
        token->kind = PUNCTUATION;
        break;
    case '}':
        depth--;
        token->kind = depth < 0 ? BAD : PUNCTUATION;
        break;
    case '(':
    case ')':
    case ';':
    case ',':
        token->kind = PUNCTUATION;
        break;
    default:
        token->kind = BAD;
    }
}

static void next_token(struct token *token)
{
    int start;
    skip_space();
    memset(token, 0, sizeof *token);
    token->line = line;
    token->column = column;
    start = at;
    if (at >= size)
        token->kind = END;
    else if (isalpha(peek(0)) || peek(0) == '_')
        scan_word(token);
    else if (isdigit(peek(0)))
        scan_number(token);
    else if (peek(0) == '"')
        scan_string(token);
    else
        scan_operator(token);
    token->length = at - start;
}

/* --- names ---------------------------------------------------------------------------------- */

static struct name *find_name(const char *text)
{
    int i;
    for (i = 0; i < n_names; i++)
        if (strcmp(names[i].text, text) == 0)
            return &names[i];
    return NULL;
}

static void note_name(const struct token *token)
{
    struct name *name = find_name(token->text);
    if (name == NULL) {
        if (n_names == MAX_NAMES)
            return;
        name = &names[n_names++];
        strcpy(name->text, token->text);
        name->uses = 0;
        name->first_line = token->line;
        name->depth = depth;
    }
    name->uses++;
    name->last_line = token->line;
}

static void sort_names(void)
{
    int i, j;
    for (i = 1; i < n_names; i++) {
        struct name moved = names[i];
        for (j = i; j > 0 && strcmp(names[j - 1].text, moved.text) > 0; j--)
            names[j] = names[j - 1];
        names[j] = moved;
    }
}

/* --- all of it ------------------------------------------------------------------------------ */

static void read_source(void)
{
    int c;
    while ((c = getchar()) != EOF && size < MAX_SOURCE)
        source[size++] = c;
}

static void check(int tokens, int length, int bad)
{
    int kind, all = 0, uses = 0, i;
    for (kind = 0; kind < KINDS; kind++)
        all += count[kind];
    for (i = 0; i < n_names; i++) {
        uses += names[i].uses;
        assert(names[i].first_line <= names[i].last_line);
        assert(i == 0 || strcmp(names[i - 1].text, names[i].text) < 0);
    }
    assert(all == tokens);
    assert(n_names == MAX_NAMES || uses == count[NAME]);
    assert(length + skipped == size);
    assert(bad || depth == 0);
}

int main(int argc, char **argv)
{
    struct token token;
    int tokens = 0, length = 0, i;
    int quiet = argc > 1 && strcmp(argv[1], "-q") == 0;
    read_source();
    do {
        next_token(&token);
        tokens++;
        length += token.length;
        count[token.kind]++;
        if (token.kind == NAME)
            note_name(&token);
        if (!quiet)
            printf("%d:%d %s '%s' %ld\n", token.line, token.column, kind_names[token.kind],
                   token.text, token.value);
    } while (token.kind != END);
    sort_names();
    check(tokens, length, count[BAD]);
    for (i = 0; i < n_names; i++)
        printf("%-8s %d uses, lines %d-%d, depth %d\n", names[i].text, names[i].uses,
               names[i].first_line, names[i].last_line, names[i].depth);
    for (i = 0; i < KINDS; i++)
        printf("%s %d\n", kind_names[i], count[i]);
    return count[BAD] ? 1 : 0;
}
