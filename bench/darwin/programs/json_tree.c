/* Reads a JSON text from standard input, by recursive descent, and prints it without spaces.
 * Objects are printed with their keys in the order of the text.  If the text is wrong, it prints
 * where. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 500
#define MAX_DEPTH 10

static char text[MAX_SIZE];
static int length, at;
static char out[2 * MAX_SIZE];
static int n_out;

static int value(int depth);

static void put(char c)
{
    out[n_out++] = c;
}

static void skip_spaces(void)
{
    while (at < length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
        at++;
}

static int peek(void)
{
    return at < length ? text[at] : -1;
}

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int is_hex(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int escape(void)
{
    int c = peek(), i;
    if (c == 'u') {
        for (i = 1; i <= 4; i++)
            if (at + i >= length || !is_hex(text[at + i]))
                return 0;
        for (i = 0; i <= 4; i++)
            put(text[at++]);
        return 1;
    }
    if (c != '"' && c != '\\' && c != '/' && c != 'n' && c != 't' && c != 'r' && c != 'b' && c != 'f')
        return 0;
    put(text[at++]);
    return 1;
}

static int string(void)
{
    put(text[at++]);
    while (at < length && text[at] != '"') {
        if (text[at] >= 0 && text[at] < ' ')
            return 0;
        if (text[at] == '\\') {
            put(text[at++]);
            if (!escape())
                return 0;
        } else {
            put(text[at++]);
        }
    }
    if (at == length)
        return 0;
    put(text[at++]);
    return 1;
}

static int digits(void)
{
    if (!is_digit(peek()))
        return 0;
    while (is_digit(peek()))
        put(text[at++]);
    return 1;
}

static int number(void)
{
    if (peek() == '-')
        put(text[at++]);
    if (peek() == '0') {
        put(text[at++]);
        if (is_digit(peek()))
            return 0;
    } else if (!digits()) {
        return 0;
    }
    if (peek() == '.') {
        put(text[at++]);
        if (!digits())
            return 0;
    }
    if (peek() == 'e' || peek() == 'E') {
        put(text[at++]);
        if (peek() == '+' || peek() == '-')
            put(text[at++]);
        if (!digits())
            return 0;
    }
    return 1;
}

static int word(const char *wanted)
{
    int i, count = (int)strlen(wanted);
    if (at + count > length || strncmp(text + at, wanted, count) != 0)
        return 0;
    for (i = 0; i < count; i++)
        put(text[at++]);
    return 1;
}

static int array(int depth)
{
    put(text[at++]);
    skip_spaces();
    if (peek() == ']') {
        put(text[at++]);
        return 1;
    }
    for (;;) {
        if (!value(depth + 1))
            return 0;
        skip_spaces();
        if (peek() == ']') {
            put(text[at++]);
            return 1;
        }
        if (peek() != ',')
            return 0;
        put(text[at++]);
    }
}

static int object(int depth)
{
    put(text[at++]);
    skip_spaces();
    if (peek() == '}') {
        put(text[at++]);
        return 1;
    }
    for (;;) {
        skip_spaces();
        if (peek() != '"' || !string())
            return 0;
        skip_spaces();
        if (peek() != ':')
            return 0;
        put(text[at++]);
        if (!value(depth + 1))
            return 0;
        skip_spaces();
        if (peek() == '}') {
            put(text[at++]);
            return 1;
        }
        if (peek() != ',')
            return 0;
        put(text[at++]);
    }
}

static int value(int depth)
{
    if (depth > MAX_DEPTH)
        return 0;
    skip_spaces();
    switch (peek()) {
    case '{':
        return object(depth);
    case '[':
        return array(depth);
    case '"':
        return string();
    case 't':
        return word("true");
    case 'f':
        return word("false");
    case 'n':
        return word("null");
    default:
        return number();
    }
}

int main(void)
{
    int is_fine;
    length = (int)fread(text, 1, MAX_SIZE, stdin);
    is_fine = value(1);
    skip_spaces();
    if (!is_fine || at < length) {
        printf("wrong at %d\n", at);
        return 1;
    }
    printf("%.*s\n", n_out, out);
    return 0;
}
