/* A stack machine for small programs, with a compiler from infix notation. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum code { PUSH, LOAD, ADD, SUB, MUL, DIV, NEG };

struct step {
    enum code code;
    int operand;
};

struct program {
    struct step steps[64];
    int length;
};

struct source {
    const char *text;
    int at;
};

static void emit(struct program *program, enum code code, int operand)
{
    struct step *step = &program->steps[program->length++];
    step->code = code;
    step->operand = operand;
}

static char look(struct source *source)
{
    while (source->text[source->at] == ' ')
        source->at++;
    return source->text[source->at];
}

static void sum(struct source *source, struct program *program);

static void atom(struct source *source, struct program *program)
{
    char c = look(source);
    if (c == '(') {
        source->at++;
        sum(source, program);
        look(source);
        source->at++;
    } else if (c == '-') {
        source->at++;
        atom(source, program);
        emit(program, NEG, 0);
    } else if (isdigit((unsigned char)c)) {
        int value = 0;
        while (isdigit((unsigned char)source->text[source->at]))
            value = value * 10 + source->text[source->at++] - '0';
        emit(program, PUSH, value);
    } else {
        source->at++;
        emit(program, LOAD, c - 'a');
    }
}

static void product(struct source *source, struct program *program)
{
    atom(source, program);
    char c;
    while ((c = look(source)) == '*' || c == '/') {
        source->at++;
        atom(source, program);
        emit(program, c == '*' ? MUL : DIV, 0);
    }
}

static void sum(struct source *source, struct program *program)
{
    product(source, program);
    char c;
    while ((c = look(source)) == '+' || c == '-') {
        source->at++;
        @{sum|product}(source, program);
        emit(program, c == '+' ? ADD : SUB, 0);
    }
}

static int run(const struct program *program, const int *variables)
{
    int stack[32], top = 0;
    for (int i = 0; i < program->length; i++) {
        const struct step *step = &program->steps[i];
        if (step->code == PUSH) {
            stack[top++] = step->operand;
            continue;
        }
        if (step->code == LOAD) {
            stack[top++] = variables[step->operand];
            continue;
        }
        int right = stack[--top];
        switch (step->code) {
        case ADD: stack[top - 1] += right; break;
        case SUB: stack[top - 1] -= right; break;
        case MUL: stack[top - 1] *= right; break;
        case DIV: stack[top - 1] /= right; break;
        default: stack[top++] = -right; break;
        }
    }
    return stack[0];
}

int main(void)
{
    const int variables[] = {12, 5, 3};
    struct source source = {"a * 2 - b - c * (b - 2)", 0};
    struct program program = {.length = 0};
    sum(&source, &program);
    int value = run(&program, variables);
    printf("%d steps\n", program.length);
    printf("value %d\n", value);
    return 0;
}
