#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct vm_statistics vm_statistics;

struct frame {
    const struct function *function;
    int return_to;
    int base;
};

static long stack[MAX_STACK];
static int top;
static struct frame frames[MAX_FRAMES];
static int frame_count;
static long globals[MAX_GLOBALS];

static void push(const struct program *program, int at, long value)
{
    if (top == MAX_STACK)
        error_at(program->lines[at], "stack overflow", "");
    stack[top++] = value;
    if (top > vm_statistics.deepest)
        vm_statistics.deepest = top;
}

static long pop(void)
{
    return stack[--top];
}

static int enter(const struct program *program, int at, int number, int count)
{
    const struct function *called = &program->functions[number];
    struct frame *frame = &frames[frame_count];
    int i;
    if (!called->is_defined || called->parameters != count)
        error_at(program->lines[at], "cannot call ", called->name);
    if (frame_count == MAX_FRAMES)
        error_at(program->lines[at], "too many calls: ", called->name);
    frame->function = called;
    frame->return_to = at + 3;
    frame->base = top - count;
    for (i = count; i < called->locals; i++)
        push(program, at, 0);
    frame_count++;
    vm_statistics.calls++;
    return called->entry;
}

static int leave(void)
{
    long result = pop();
    struct frame *frame = &frames[--frame_count];
    top = frame->base;
    stack[top++] = result;
    return frame->return_to;
}

static long apply(const struct program *program, int at, long a, long b)
{
    switch (program->code[at]) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_DIV:
    case OP_MOD:
        if (b == 0)
            error_at(program->lines[at], "division by zero", "");
        return program->code[at] == OP_DIV ? a / b : a % b;
    default:
        return 0;
    }
}

long run(const struct program *program)
{
    int at = 0;
    long a, b;
    top = frame_count = 0;
    for (;;) {
        const int *code = &program->code[at];
        vm_statistics.steps++;
        switch (code[0]) {
        case OP_CONST:
            push(program, at, program->constants[code[1]]);
            at += 2;
            break;
        case OP_POP:
            pop();
            at++;
            break;
        case OP_DUP:
            push(program, at, stack[top - 1]);
            at++;
            break;
        case OP_SWAP:
            a = pop();
            b = pop();
            push(program, at, a);
            push(program, at, b);
            at++;
            break;
        case OP_LOAD:
            push(program, at, stack[frames[frame_count - 1].base + code[1]]);
            at += 2;
            break;
        case OP_STORE:
            stack[frames[frame_count - 1].base + code[1]] = pop();
            at += 2;
            break;
        case OP_GLOAD:
            push(program, at, globals[code[1]]);
            at += 2;
            break;
        case OP_GSTORE:
            globals[code[1]] = pop();
            at += 2;
            break;
        case OP_NEG:
            push(program, at, -pop());
            at++;
            break;
        case OP_NOT:
            push(program, at, !pop());
            at++;
            break;
        case OP_JUMP:
            at = code[1];
            break;
        case OP_JUMP_FALSE:
            at = pop() ? at + 2 : code[1];
            break;
        case OP_CALL:
            at = enter(program, at, code[1], code[2]);
            break;
        case OP_BUILTIN:
            top -= builtin_at(code[1])->parameters;
            a = builtin_at(code[1])->run(&stack[top]);
            push(program, at, a);
            at += 2;
            break;
        case OP_RETURN:
            at = leave();
            break;
        case OP_PRINT:
            printf("%ld", pop());
            at++;
            break;
        case OP_PRINT_TEXT:
            printf("%s", program->texts[code[1]]);
            at += 2;
            break;
        case OP_HALT:
            return top;
        default:
            b = pop();
            a = pop();
            push(program, at, apply(program, at, a, b));
            at++;
            break;
        }
    }
}
