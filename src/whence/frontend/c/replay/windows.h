/* What is noted about each step of a window, and about each checked result? */
#ifndef WHENCE_WINDOWS_H
#define WHENCE_WINDOWS_H
#include "values.h"

/* --- checking ------------------------------------------------------------------------------ */

static void mismatch(struct kernel *k, u32 step, u64 logged, u64 computed) {
    if (k->meta->mismatches < MISMATCHES)
        k->meta->mismatch[k->meta->mismatches] = (struct mismatch){step, logged, computed};
    k->meta->mismatches++;
}

static u32 checked_bytes(const struct op *o) { /* bytes of the first slot */
    switch (o->code) {
    case ICMP: case FCMP: return 1;
    case GEP: case GEPC: case ALLOCA: case FPEXT: return 8;
    case FPTRUNC: return 4;
    case LLOAD: return o->x;
    default: return o->bits && o->bits < 64 ? (o->bits + 7u) / 8 : 8;
    }
}

/* Compare the result of `o` with the logged one; return its bytes in the log, 0 if they are
   missing. */
OUTLINE u32 check_result(struct kernel *k, const struct op *o, const u64 *result, const u8 *p, u32 step) {
    u32 size = checked_bytes(o), flag = o->code == OVERFLOWING;
    if ((u64)(k->end - p) < size + flag) return 0;
    u64 logged = 0;
    memcpy(&logged, p, size);
    if (logged != result[0]) mismatch(k, step, logged, result[0]);
    else if (flag && p[size] != result[1]) mismatch(k, step, p[size], result[1]);
    return size + flag;
}

/* --- windows ------------------------------------------------------------------------------- */

INLINE u64 value_of(const struct kernel *k, const struct frame *f, u32 v) {
    return v & CONSTANT ? k->t->constants[v & ~CONSTANT] : f->slots[v];
}

static const u64 *place_of(const struct kernel *k, const struct frame *f, u32 v) {
    return v & CONSTANT ? &k->t->constants[v & ~CONSTANT] : &f->slots[v];
}

static u64 address_of(const struct kernel *k, const struct frame *f, const struct op *o) {
    switch (o->code) {
    case LOAD: case RMW: case COPY: case FILL: case LCOPYOUT: case VASTART:
        return value_of(k, f, o->a);
    case STORE:
        return value_of(k, f, o->b);
    case LLOAD: case LSTORE: case LALLOCA: case LFILL: case LCOPY:
        return o->b;
    case CALL: {
        u32 callee = k->t->extras[o->x + X_CALLEE];
        return callee == NONE ? 0 : value_of(k, f, callee);
    }
    default:
        return 0;
    }
}

static void keep(const struct window *w, u64 *to, u64 *n, const u64 *from, u64 slots) {
    for (u64 i = 0; i < slots && *n < w->capacity; i++) to[(*n)++] = from[i];
}

static void note_arguments(const struct kernel *k, const struct frame *f, const struct op *o) {
    const u32 *x = &k->t->extras[o->x];
    static const u64 none = 0;
    for (u32 i = 0; i < x[X_ARGS]; i++) {
        const u32 *argument = &x[X_LIST + 3 * i];
        const u64 *from = argument[0] == NONE ? &none : place_of(k, f, argument[0]);
        keep(k->window, k->window->arguments, &k->window->n_arguments, from,
             argument[0] == NONE ? 1 : argument[1]);
    }
}

OUTLINE void note_before(struct kernel *k, const struct frame *f, const struct op *o, const u8 *p, u32 step) {
    struct window *w = k->window;
    u32 i = step - w->from, slots = 0;
    w->offset[i] = (u64)(p - k->log);
    w->address[i] = address_of(k, f, o);
    w->value[i] = 0;
    switch (o->code) {
    case STORE: case LSTORE:
        slots = layout_slots(k->t, o->c, o->x);
        break;
    case RET:
        slots = o->a == NONE ? 0 : o->x;
        break;
    case CBR: case SWITCH: case FILL: case LFILL:
        slots = 1;
        break;
    }
    u32 from = o->code == FILL ? o->b : o->a;
    if (slots) w->value[i] = value_of(k, f, from);
    if (step != w->detail) return;
    w->n_result = w->n_arguments = 0;
    if (slots) keep(w, w->result, &w->n_result, place_of(k, f, from), slots);
    if (o->code == CALL) note_arguments(k, f, o);
}

OUTLINE void note_result(struct kernel *k, const u64 *slots, u32 n, u32 step) {
    struct window *w = k->window;
    if (!n || step < w->from || step >= w->to) return;
    w->value[step - w->from] = slots[0];
    if (step != w->detail) return;
    w->n_result = 0;
    keep(w, w->result, &w->n_result, slots, n);
}

#endif
