/* A small virtual machine that runs as long as it is told to, and then fails.  The cause of the
   failure is near the start of the run, or near its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { LOAD, MIX, STORE, ADD, DEC, JNZ, HALT };
struct instruction { enum op op; int arg; };
struct machine { unsigned stack[16], cells[8], table[1024], limit; int top; };

static unsigned pop(struct machine *m) { return m->stack[--m->top]; }
static void push(struct machine *m, unsigned value) { m->stack[m->top++] = value; }

static int step(struct machine *m, const struct instruction *i, int at) {
    unsigned a;
    switch (i->op) {
    case LOAD: push(m, m->cells[i->arg]); break;
    case STORE: m->cells[i->arg] = pop(m); break;
    case ADD: a = pop(m); push(m, a + pop(m)); break;
    case MIX:
        a = pop(m) | 1;
        a ^= a << 13;
        a ^= a >> 17;
        m->table[a & 1023] += a;
        push(m, a);
        break;
    case DEC: m->cells[i->arg]--; break;
    case JNZ: return m->cells[1] ? i->arg : at + 1;
    case HALT: return -1;
    }
    return at + 1;
}

int main(int argc, char **argv) {
    static const struct instruction code[] = {
        {LOAD, 0}, {MIX, 0}, {STORE, 0}, {LOAD, 0}, {LOAD, 2}, {ADD, 0}, {STORE, 2},
        {DEC, 1}, {JNZ, 0}, {HALT, 0},
    };
    struct machine *m = calloc(1, sizeof *m);
    m->cells[1] = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    m->limit = argc > 2 && !strcmp(argv[2], "early") ? 90 : 100;
    for (int at = 0; at >= 0;) at = step(m, &code[at], at);
    if (argc > 2 && !strcmp(argv[2], "late")) m->limit = 95;
    if (m->limit < 100) abort();
    return 0;
}
