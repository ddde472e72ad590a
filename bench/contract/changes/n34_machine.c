/* A stack machine: a compiler of postfix text and an interpreter with computed jumps and a call stack. */
#include <ctype.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { PUSH, ADD, SUB, MUL, DIV, DUP, SWAP, JZ, JMP, CALL, RET, PRINT, HALT, OPS };
static const char *const op_names[OPS] = {"push", "+", "-", "*", "/", "dup", "swap", "jz", "jmp", "call", "ret", ".", "halt"};

typedef struct {
    uint8_t code[256];
    int length;
    struct { char name[12]; int at; } labels[16];
    int label_count;
    struct { char name[12]; int at; } holes[16];
    int hole_count;
} program;

typedef struct {
    int32_t stack[32];
    int depth;
    int frames[8];
    int frame;
    long steps;
    const char *error;
} machine;

static jmp_buf failed;

static void fail(machine *m, const char *why)
{
    m->error = why;
    longjmp(failed, 1);
}

static void emit(program *p, int byte)
{
    p->code[p->length++] = (uint8_t)byte;
}

static void emit_number(program *p, int32_t n)
{
    for (int shift = 0; shift < 32; shift += 8)
        emit(p, (n >> shift) & 0xff);
}

static int32_t read_number(const uint8_t *code)
{
    uint32_t n = 0;
    for (int i = 3; i >= 0; i--)
        n = n << 8 | code[i];
    return (int32_t)n;
}

static int op_of(const char *word)
{
    for (int i = 0; i < OPS; i++)
        if (strcmp(op_names[i], word) == 0)
            return i;
    return -1;
}

static void compile_word(program *p, const char *word)
{
    size_t n = strlen(word);
    int op = op_of(word);
    if (op >= 0)
        emit(p, op);
    else if (word[n - 1] == ':') {
        strncpy(p->labels[p->label_count].name, word, n - 1);
        p->labels[p->label_count++].at = p->length;
    } else if (word[0] == '@') {
        strcpy(p->holes[p->hole_count].name, word + 1);
        p->holes[p->hole_count++].at = p->length;
        emit(p, 0);
    } else {
        emit(p, PUSH);
        emit_number(p, (int32_t)strtol(word, NULL, 0));
    }
}

static int patch(program *p)
{
    int left = 0;
    for (int i = 0; i < p->hole_count; i++) {
        int k = 0;
        while (k < p->label_count && strcmp(p->labels[k].name, p->holes[i].name) != 0)
            k++;
        if (k == p->label_count)
            left++;
        else
            p->code[p->holes[i].at] = (uint8_t)p->labels[k].at;
    }
    return left;
}

static int compile(program *p, const char *text)
{
    char word[16];
    while (*text) {
        int n = 0;
        while (isspace((unsigned char)*text))
            text++;
        while (*text && !isspace((unsigned char)*text) && n < 15)
            word[n++] = *text++;
        word[n] = 0;
        if (n)
            compile_word(p, word);
    }
    emit(p, HALT);
    return patch(p);
}

static int32_t pop(machine *m)
{
    if (!m->depth)
        fail(m, "empty");
    return m->stack[--m->depth];
}

static void push(machine *m, int32_t n)
{
    if (m->depth == 32)
        fail(m, "full");
    m->stack[m->depth++] = n;
}

static void arithmetic(machine *m, enum op op)
{
    int32_t b = pop(m), a = pop(m);
    switch (op) {
    case ADD: a += b; break;
    case SUB: a -= b; break;
    case MUL: a *= b; break;
    case DIV:
        if (b == 0) fail(m, "by zero");
        a = @{a / b - (a % b < 0)|a / b};
        break;
    default: fail(m, "no such operation");
    }
    push(m, a);
}

static int32_t run(const program *p, machine *m)
{
    int pc = 0;
    if (setjmp(failed))
        return -1;
    for (;;) {
        enum op op = p->code[pc++];
        m->steps++;
        switch (op) {
        case PUSH: push(m, read_number(&p->code[pc])); pc += 4; break;
        case DUP: { int32_t a = pop(m); push(m, a); push(m, a); break; }
        case SWAP: { int32_t b = pop(m), a = pop(m); push(m, b); push(m, a); break; }
        case JZ: { int to = p->code[pc++]; if (pop(m) == 0) pc = to; break; }
        case JMP: pc = p->code[pc]; break;
        case CALL: m->frames[m->frame++] = pc + 1; pc = p->code[pc]; break;
        case RET: if (!m->frame) return pop(m); pc = m->frames[--m->frame]; break;
        case PRINT: printf("%d ", pop(m) != 0); break;
        case HALT: return m->depth ? pop(m) : 0;
        default: arithmetic(m, op);
        }
        if (m->steps > 1000)
            fail(m, "too long");
    }
}

static int32_t value_of(const char *text, machine *m)
{
    program p;
    memset(&p, 0, sizeof p);
    memset(m, 0, sizeof *m);
    if (compile(&p, text))
        return -2;
    return run(&p, m);
}

int main(void)
{
    machine m;
    int good = 0;
    good += value_of("7 2 / dup .", &m) >= 0;
    good += value_of("-7 2 / 4 +", &m) > -9;
    good += value_of("5 1 swap loop: dup jz @end dup 0 + swap 1 - jmp @loop end: +", &m) > -9;
    good += value_of("1 0 /", &m) < 0;
    good += value_of("jmp @main twice: dup + ret main: 4 call @twice", &m) > 0;
    good += value_of("jmp @none", &m) < 0;
    printf("%d\n", good > 3);
    return 0;
}
