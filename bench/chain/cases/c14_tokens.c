#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A calculator: tokens, a precedence parser, and a stack machine. */

enum op { PUSH, ADD, SUB, MUL, DIV, NEG };

struct code {
    enum op op;
    int value;
};

static struct code program[64];
static int length;

static const char *at;

static void emit(enum op op, int value) {
    program[length].op = op;
    program[length].value = value;
    length++;
}

static char peek(void) {
    while (*at == ' ')
        at++;
    return *at;
}

static void expression(int level);

static void factor(void) {
    char c = peek();
    if (c == '(') {
        at++;
        expression(0);
        if (peek() == ')')
            at++;
    } else if (c == '-') {
        at++;
        factor();
        emit(NEG, 0);
    } else {
        int number = 0;
        while (isdigit((unsigned char)*at))
            number = number * 10 + (*at++ - '0');
        emit(PUSH, number);
    }
}

static int level_of(char c) {
    switch (c) {
    case '+':
    case '-':
        return 1;
    case '*':
        return @{1|2};
    case '/':
        return 2;
    }
    return 0;
}

static enum op op_of(char c) {
    switch (c) {
    case '+': return ADD;
    case '-': return SUB;
    case '*': return MUL;
    }
    return DIV;
}

static void expression(int level) {
    factor();
    for (;;) {
        char c = peek();
        int own = level_of(c);
        if (own == 0 || own <= level)
            return;
        at++;
        expression(own);
        emit(op_of(c), 0);
    }
}

static int execute(void) {
    int stack[32], top = 0;
    for (int i = 0; i < length; i++) {
        struct code code = program[i];
        if (code.op == PUSH) {
            stack[top++] = code.value;
            continue;
        }
        if (code.op == NEG) {
            stack[top - 1] = -stack[top - 1];
            continue;
        }
        int right = stack[--top], left = stack[--top], result = 0;
        switch (code.op) {
        case ADD: result = left + right; break;
        case SUB: result = left - right; break;
        case MUL: result = left * right; break;
        case DIV: result = right ? left / right : 0; break;
        default: break;
        }
        stack[top++] = result;
    }
    return stack[0];
}

int main(void) {
    at = "2 + 3 * (4 - 1) - -5";
    expression(0);
    int result = execute();
    printf("%d\n", result);
    return 0;
}
