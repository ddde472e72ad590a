/* Another calculator: two stacks, one for numbers and one for operators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64

static long numbers[DEPTH];
static int n_numbers;
static char operators[DEPTH];
static int n_operators;
static const char *problem;

static int precedence(char op)
{
    switch (op) {
    case '<':
    case '>':
    case 'l':
    case 'g':
        return 1;
    case '+':
    case '-':
        return 2;
    case '*':
    case '/':
    case '%':
        return 3;
    case '~':
        return 4;
    default:
        return 0;
    }
}

static void push_number(long value)
{
    if (n_numbers == DEPTH) {
        problem = "too deep";
        return;
    }
    numbers[n_numbers++] = value;
}

static long pop_number(void)
{
    if (n_numbers == 0) {
        if (problem == NULL)
            problem = "syntax error";
        return 0;
    }
    return numbers[--n_numbers];
}

static void apply(char op)
{
    long right, left;
    if (op == '~') {
        push_number(-pop_number());
        return;
    }
    right = pop_number();
    left = pop_number();
    if ((op == '/' || op == '%') && right == 0) {
        if (problem == NULL)
            problem = "division by zero";
        push_number(0);
        return;
    }
    switch (op) {
    case '+': push_number(left + right); break;
    case '-': push_number(left - right); break;
    case '*': push_number(left * right); break;
    case '/': push_number(left / right); break;
    case '%': push_number(left % right); break;
    case '<': push_number(left < right); break;
    case '>': push_number(left > right); break;
    case 'l': push_number(left <= right); break;
    case 'g': push_number(left >= right); break;
    default: problem = "syntax error";
    }
}

static void push_operator(char op)
{
    while (n_operators > 0 && operators[n_operators - 1] != '('
           && precedence(operators[n_operators - 1]) >= precedence(op) && op != '~')
        apply(operators[--n_operators]);
    if (n_operators == DEPTH)
        problem = "too deep";
    else
        operators[n_operators++] = op;
}

static void close_parenthesis(void)
{
    while (n_operators > 0 && operators[n_operators - 1] != '(')
        apply(operators[--n_operators]);
    if (n_operators == 0) {
        problem = "syntax error";
        return;
    }
    n_operators--;
}

static void evaluate(const char *text)
{
    int wants_value = 1;
    while (*text != '\0' && problem == NULL) {
        char c = *text;
        if (c == ' ' || c == '\t') {
            text++;
        } else if (c >= '0' && c <= '9') {
            long value = 0;
            while (*text >= '0' && *text <= '9')
                value = value * 10 + (*text++ - '0');
            push_number(value);
            wants_value = 0;
        } else if (c == '(') {
            operators[n_operators++] = c;
            text++;
        } else if (c == ')') {
            close_parenthesis();
            text++;
        } else if (wants_value) {
            if (c != '-') {
                problem = "syntax error";
                return;
            }
            push_operator('~');
            text++;
        } else {
            char op = c;
            text++;
            if ((c == '<' || c == '>') && *text == '=') {
                op = c == '<' ? 'l' : 'g';
                text++;
            }
            if (precedence(op) == 0) {
                problem = "syntax error";
                return;
            }
            push_operator(op);
            wants_value = 1;
        }
    }
    while (n_operators > 0 && problem == NULL)
        apply(operators[--n_operators]);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: calc EXPRESSION\n");
        return 2;
    }
    evaluate(argv[1]);
    if (problem == NULL && n_numbers != 1)
        problem = "syntax error";
    if (problem != NULL) {
        printf("%s\n", problem);
        return 0;
    }
    printf("%ld\n", numbers[0]);
    return 0;
}
