/* Prints a JSON text of standard input without spaces: a machine with a state and a stack reads it
 * sign by sign.  If the text is wrong, it prints where. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIZE 500
#define MAX_DEPTH 10

enum state {
    VALUE,        /* a value must come */
    FIRST_VALUE,  /* a value, or the end of the array */
    KEY,
    FIRST_KEY,    /* a key, or the end of the object */
    COLON,
    BEHIND,       /* behind a value */
    STRING,
    ESCAPE,
    HEX,
    MINUS,
    ZERO,
    WHOLE,
    POINT,
    FRACTION,
    E,
    E_SIGN,
    EXPONENT,
    WORD,
    FAILED
};

struct machine {
    enum state state;
    char stack[MAX_DEPTH];
    int depth;
    int is_key;       /* of the string that is read */
    int hex_left;
    const char *rest; /* of the word that is read */
    char out[2 * MAX_SIZE];
    int n_out;
};

static int is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static enum state begin(struct machine *m, char c)
{
    if (m->depth >= MAX_DEPTH)
        return FAILED;
    switch (c) {
    case '{':
    case '[':
        m->stack[m->depth++] = c;
        return c == '{' ? FIRST_KEY : FIRST_VALUE;
    case '"':
        m->is_key = 0;
        return STRING;
    case '-':
        return MINUS;
    case '0':
        return ZERO;
    case 't':
        m->rest = "rue";
        return WORD;
    case 'f':
        m->rest = "alse";
        return WORD;
    case 'n':
        m->rest = "ull";
        return WORD;
    default:
        return isdigit((unsigned char)c) ? WHOLE : FAILED;
    }
}

static enum state close_it(struct machine *m, char c)
{
    char opened = c == '}' ? '{' : '[';
    if (m->depth == 0 || m->stack[m->depth - 1] != opened)
        return FAILED;
    m->depth--;
    return BEHIND;
}

static enum state behind(struct machine *m, char c)
{
    if (c == '}' || c == ']')
        return close_it(m, c);
    if (c != ',' || m->depth == 0)
        return FAILED;
    return m->stack[m->depth - 1] == '{' ? KEY : VALUE;
}

static enum state in_number(struct machine *m, char c)
{
    int is_digit = c >= '0' && c <= '9';
    switch (m->state) {
    case MINUS:
        return c == '0' ? ZERO : is_digit ? WHOLE : FAILED;
    case ZERO:
    case WHOLE:
        if (is_digit)
            return m->state == ZERO ? FAILED : WHOLE;
        if (c == '.')
            return POINT;
        return c == 'e' || c == 'E' ? E : behind(m, c);
    case POINT:
        return is_digit ? FRACTION : FAILED;
    case FRACTION:
        if (is_digit)
            return FRACTION;
        return c == 'e' || c == 'E' ? E : behind(m, c);
    case E:
        if (c == '+' || c == '-')
            return E_SIGN;
        return is_digit ? EXPONENT : FAILED;
    case E_SIGN:
        return is_digit ? EXPONENT : FAILED;
    default:
        return is_digit ? EXPONENT : behind(m, c);
    }
}

static enum state in_string(struct machine *m, char c)
{
    if (c == '"')
        return m->is_key ? COLON : BEHIND;
    if (c == '\\')
        return ESCAPE;
    return c >= 0 && c < ' ' ? FAILED : STRING;
}

static enum state next(struct machine *m, char c)
{
    switch (m->state) {
    case FIRST_VALUE:
        if (c == ']')
            return close_it(m, c);
        return begin(m, c);
    case VALUE:
        return begin(m, c);
    case FIRST_KEY:
        if (c == '}')
            return close_it(m, c);
        /* fall through */
    case KEY:
        m->is_key = 1;
        return c == '"' ? STRING : FAILED;
    case COLON:
        return c == ':' ? VALUE : FAILED;
    case BEHIND:
        return behind(m, c);
    case STRING:
        return in_string(m, c);
    case ESCAPE:
        if (c == 'u') {
            m->hex_left = 4;
            return HEX;
        }
        return c != '\0' && strchr("\"\\/ntrbf", c) != NULL ? STRING : FAILED;
    case HEX:
        if (!isxdigit((unsigned char)c))
            return FAILED;
        return --m->hex_left > 0 ? HEX : STRING;
    case WORD:
        if (c != *m->rest)
            return FAILED;
        m->rest++;
        return *m->rest == '\0' ? BEHIND : WORD;
    case FAILED:
        return FAILED;
    default:
        return in_number(m, c);
    }
}

static int ends_number(enum state state)
{
    return state == ZERO || state == WHOLE || state == FRACTION || state == EXPONENT;
}

/* Is a space that is no part of a string here? */
static int is_skipped(const struct machine *m, char c)
{
    return m->state != STRING && m->state != ESCAPE && m->state != HEX && is_space(c);
}

int main(void)
{
    static struct machine m;
    static char text[MAX_SIZE];
    int length = (int)fread(text, 1, MAX_SIZE, stdin), at;
    for (at = 0; at < length; at++) {
        if (is_skipped(&m, text[at])) {
            if (ends_number(m.state))
                m.state = BEHIND;
            continue;
        }
        m.state = next(&m, text[at]);
        if (m.state == FAILED)
            break;
        m.out[m.n_out++] = text[at];
    }
    if (at < length || m.depth > 0 || !(m.state == BEHIND || ends_number(m.state))) {
        printf("wrong at %d\n", at);
        return 1;
    }
    printf("%.*s\n", m.n_out, m.out);
    return 0;
}
