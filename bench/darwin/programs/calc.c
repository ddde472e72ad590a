/* Evaluates an arithmetic expression: calc "2 * (3 + 4) > 10 ? 1 : 0" */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status { OK, SYNTAX, DIVISION, TOO_DEEP };

struct parser {
    const char *at;
    enum status status;
    int depth;
    int steps;
};

static long expression(struct parser *p);

static void skip_spaces(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static int accept(struct parser *p, char c)
{
    skip_spaces(p);
    if (*p->at != c)
        return 0;
    p->at++;
    p->steps++;
    return 1;
}

static void fail(struct parser *p, enum status status)
{
    if (p->status == OK)
        p->status = status;
}

static long number(struct parser *p)
{
    long value = 0;
    skip_spaces(p);
    if (!isdigit((unsigned char)*p->at)) {
        fail(p, SYNTAX);
        return 0;
    }
    while (isdigit((unsigned char)*p->at)) {
        value = value * 10 + (*p->at - '0');
        p->at++;
    }
    p->steps++;
    return value;
}

static long call(struct parser *p, const char *name)
{
    long first, second;
    if (!accept(p, '(')) {
        fail(p, SYNTAX);
        return 0;
    }
    first = expression(p);
    if (!accept(p, ',')) {
        fail(p, SYNTAX);
        return 0;
    }
    second = expression(p);
    if (!accept(p, ')'))
        fail(p, SYNTAX);
    if (strcmp(name, "max") == 0)
        return first > second ? first : second;
    if (strcmp(name, "min") == 0)
        return first < second ? first : second;
    fail(p, SYNTAX);
    return 0;
}

static long factor(struct parser *p)
{
    skip_spaces(p);
    if (p->depth > 20) {
        fail(p, TOO_DEEP);
        return 0;
    }
    if (accept(p, '-'))
        return -factor(p);
    if (accept(p, '(')) {
        long value;
        p->depth++;
        value = expression(p);
        p->depth--;
        if (!accept(p, ')'))
            fail(p, SYNTAX);
        return value;
    }
    if (isalpha((unsigned char)*p->at)) {
        char name[8];
        int n = 0;
        while (isalpha((unsigned char)*p->at) && n < 7)
            name[n++] = *p->at++;
        name[n] = '\0';
        return call(p, name);
    }
    return number(p);
}

static long term(struct parser *p)
{
    long value = factor(p);
    for (;;) {
        if (accept(p, '*')) {
            value = value * factor(p);
        } else if (accept(p, '/')) {
            long by = factor(p);
            if (by == 0) {
                fail(p, DIVISION);
                return 0;
            }
            value = value / by;
        } else if (accept(p, '%')) {
            long by = factor(p);
            if (by == 0) {
                fail(p, DIVISION);
                return 0;
            }
            value = value % by;
        } else {
            return value;
        }
    }
}

static long sum(struct parser *p)
{
    long value = term(p);
    for (;;) {
        if (accept(p, '+'))
            value = value + term(p);
        else if (accept(p, '-'))
            value = value - term(p);
        else
            return value;
    }
}

static long comparison(struct parser *p)
{
    long left = sum(p), right;
    int less;
    skip_spaces(p);
    if (*p->at != '<' && *p->at != '>')
        return left;
    less = *p->at == '<';
    p->at++;
    if (accept(p, '=')) {
        right = sum(p);
        return less ? left <= right : left >= right;
    }
    right = sum(p);
    return less ? left < right : left > right;
}

static long expression(struct parser *p)
{
    long condition = comparison(p), yes, no;
    if (!accept(p, '?'))
        return condition;
    yes = expression(p);
    if (!accept(p, ':')) {
        fail(p, SYNTAX);
        return 0;
    }
    no = expression(p);
    return condition ? yes : no;
}

int main(int argc, char **argv)
{
    struct parser p = {NULL, OK, 0, 0};
    long value;
    if (argc != 2) {
        fprintf(stderr, "usage: calc EXPRESSION\n");
        return 2;
    }
    p.at = argv[1];
    value = expression(&p);
    skip_spaces(&p);
    if (*p.at != '\0')
        fail(&p, SYNTAX);
    if (p.status == SYNTAX) {
        printf("syntax error\n");
        return 0;
    }
    if (p.status == DIVISION) {
        printf("division by zero\n");
        return 0;
    }
    if (p.status == TOO_DEEP) {
        printf("too deep\n");
        return 0;
    }
    printf("%ld\n", value);
    return 0;
}
