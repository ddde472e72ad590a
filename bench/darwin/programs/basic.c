/* A small BASIC: numbered lines of standard input are a program, which is run.
 *
 *   10 LET A = 3          20 FOR I = 1 TO 5 STEP 2     30 PRINT I, "x"
 *   40 NEXT I             50 IF A > 2 THEN 80          60 GOSUB 100
 *   70 RETURN             80 GOTO 10                   90 END
 *
 * Variables are the letters A to Z; numbers are whole.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINES 60
#define MAX_TEXT 80
#define MAX_DEPTH 12
#define MAX_STATEMENTS 500

struct line {
    int number;
    char text[MAX_TEXT];
};

struct loop {
    char variable;
    long last;
    long step;
    int body; /* the index of the line behind FOR */
};

static struct line program[MAX_LINES];
static int n_lines;
static long variables[26];
static struct loop loops[MAX_DEPTH];
static int n_loops;
static int returns[MAX_DEPTH];
static int n_returns;
static const char *at;     /* in the text of the current line */
static int current;        /* the index of the current line */
static const char *problem;

static long expression(void);

static void skip_spaces(void)
{
    while (*at == ' ' || *at == '\t')
        at++;
}

static void complain(const char *what)
{
    if (problem == NULL)
        problem = what;
}

/* Is there a sign here?  If so, go behind it. */
static int sign(char c)
{
    skip_spaces();
    if (*at != c)
        return 0;
    at++;
    return 1;
}

/* Is there a word here?  If so, go behind it. */
static int word(const char *wanted)
{
    size_t length = strlen(wanted);
    skip_spaces();
    if (strncmp(at, wanted, length) != 0 || isalpha((unsigned char)at[length]))
        return 0;
    at += length;
    return 1;
}

static long number(void)
{
    long value = 0;
    skip_spaces();
    if (!isdigit((unsigned char)*at)) {
        complain("a number is missing");
        return 0;
    }
    while (isdigit((unsigned char)*at)) {
        value = value * 10 + (*at - '0');
        if (value > 99999999)
            complain("too big");
        at++;
    }
    return value;
}

static int variable(void)
{
    skip_spaces();
    if (*at < 'A' || *at > 'Z') {
        complain("a variable is missing");
        return 0;
    }
    return *at++ - 'A';
}

static long factor(void)
{
    long value;
    if (sign('('))
    {
        value = expression();
        if (!sign(')'))
            complain("a bracket is missing");
        return value;
    }
    if (sign('-'))
        return -factor();
    if (word("ABS")) {
        value = factor();
        return value < 0 ? -value : value;
    }
    skip_spaces();
    if (isalpha((unsigned char)*at))
        return variables[variable()];
    return number();
}

static long term(void)
{
    long value = factor(), by;
    for (;;) {
        if (sign('*')) {
            value *= factor();
        } else if (sign('/')) {
            by = factor();
            if (by == 0) {
                complain("division by zero");
                return 0;
            }
            value /= by;
        } else {
            return value;
        }
    }
}

static long expression(void)
{
    long value = term();
    for (;;) {
        if (sign('+'))
            value += term();
        else if (sign('-'))
            value -= term();
        else
            return value;
    }
}

static int condition(void)
{
    long left = expression(), right;
    if (sign('=')) {
        return left == expression();
    }
    if (sign('<')) {
        if (sign('>'))
            return left != expression();
        if (sign('='))
            return left <= expression();
        return left < expression();
    }
    if (sign('>')) {
        if (sign('=')) {
            right = expression();
            return left >= right;
        }
        right = expression();
        return left > right;
    }
    complain("a comparison is missing");
    return 0;
}

/* Return the index of a line. */
static int find(long wanted)
{
    int low = 0, high = n_lines - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (program[middle].number == wanted)
            return middle;
        if (program[middle].number < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    complain("no such line");
    return n_lines;
}

static void print(void)
{
    int is_first = 1;
    do {
        skip_spaces();
        if (!is_first)
            putchar(' ');
        is_first = 0;
        if (*at == '"') {
            for (at++; *at != '\0' && *at != '"'; at++)
                putchar(*at);
            if (!sign('"'))
                complain("a quote is missing");
        } else {
            printf("%ld", expression());
        }
    } while (sign(','));
    putchar('\n');
}

static void for_loop(void)
{
    struct loop *loop;
    int index = variable();
    long first;
    if (!sign('='))
        complain("FOR has no =");
    first = expression();
    if (n_loops == MAX_DEPTH) {
        complain("too many loops");
        return;
    }
    loop = &loops[n_loops++];
    loop->variable = 'A' + index;
    if (!word("TO"))
        complain("FOR has no TO");
    loop->last = expression();
    loop->step = word("STEP") ? expression() : 1;
    loop->body = current + 1;
    variables[index] = first;
}

/* Return the index of the line that comes next. */
static int next_loop(void)
{
    int index = variable();
    struct loop *loop;
    while (n_loops > 0 && loops[n_loops - 1].variable != 'A' + index)
        n_loops--;
    if (n_loops == 0) {
        complain("NEXT has no FOR");
        return n_lines;
    }
    loop = &loops[n_loops - 1];
    variables[index] += loop->step;
    if (loop->step >= 0 ? variables[index] <= loop->last : variables[index] >= loop->last)
        return loop->body;
    n_loops--;
    return current + 1;
}

static int subroutine(void)
{
    long wanted = expression();
    if (n_returns == MAX_DEPTH) {
        complain("too many calls");
        return n_lines;
    }
    returns[n_returns++] = current + 1;
    return find(wanted);
}

static int back(void)
{
    if (n_returns == 0) {
        complain("RETURN has no GOSUB");
        return n_lines;
    }
    n_returns--;
    return returns[n_returns];
}

/* Do what a line says; return the index of the line that comes next. */
static int statement(void)
{
    if (word("PRINT")) {
        print();
    } else if (word("IF")) {
        int holds = condition();
        if (!word("THEN"))
            complain("IF has no THEN");
        if (holds)
            return find(number());
    } else if (word("GOTO")) {
        return find(expression());
    } else if (word("GOSUB")) {
        return subroutine();
    } else if (word("RETURN")) {
        return back();
    } else if (word("FOR")) {
        for_loop();
    } else if (word("NEXT")) {
        return next_loop();
    } else if (word("END")) {
        return n_lines;
    } else {
        int index;
        word("LET");
        index = variable();
        if (!sign('='))
            complain("no such statement");
        else
            variables[index] = expression();
    }
    return current + 1;
}

static void run(void)
{
    int count = 0, next;
    for (current = 0; current < n_lines && problem == NULL; current = next) {
        if (++count > MAX_STATEMENTS) {
            complain("it does not end");
            return;
        }
        at = program[current].text;
        next = statement();
        skip_spaces();
        if (problem != NULL)
            printf("line %d: %s\n", program[current].number, problem);
    }
}

/* Put a line where its number belongs; it replaces a line with the same number. */
static void enter(int number, const char *text)
{
    int i, place = 0;
    while (place < n_lines && program[place].number < number)
        place++;
    if (place == n_lines || program[place].number != number) {
        if (n_lines == MAX_LINES)
            return;
        for (i = n_lines++; i > place; i--)
            program[i] = program[i - 1];
    }
    program[place].number = number;
    strncpy(program[place].text, text, MAX_TEXT - 1);
    program[place].text[MAX_TEXT - 1] = '\0';
}

int main(void)
{
    char text[MAX_TEXT];
    while (fgets(text, sizeof text, stdin) != NULL) {
        char *rest;
        long number = strtol(text, &rest, 10);
        rest[strcspn(rest, "\n")] = '\0';
        if (number > 0 && rest != text)
            enter((int)number, rest);
    }
    run();
    return problem != NULL;
}
