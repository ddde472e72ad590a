/* Which block runs next, and which values do its phis take? */
#ifndef WHENCE_JUMPS_H
#define WHENCE_JUMPS_H
#include "calls.h"

/* --- jumps ------------------------------------------------------------------------------- */

static u32 switch_target(const struct tables *t, const struct op *o, u64 value) {
    const u32 *x = &t->extras[o->x];
    for (u32 i = 0; i < x[1]; i++)
        if ((x[2 + 3 * i] | (u64)x[3 + 3 * i] << 32) == value) return x[4 + 3 * i];
    return x[0];
}

static int is_successor(const struct tables *t, const struct op *o, u32 block) {
    const u32 *x = &t->extras[o->x];
    switch (o->code) {
    case BR: return o->a == block;
    case CBR: return o->b == block || o->c == block;
    case SWITCH:
        for (u32 i = 0; i < x[1]; i++)
            if (x[4 + 3 * i] == block) return 1;
        return x[0] == block;
    case INDIRECTBR:
        for (u32 i = 0; i < x[0]; i++)
            if (x[1 + i] == block) return 1;
        return 0;
    default: return x[X_NORMAL] == block;
    }
}

/* The log names another block than the computed `target` (NONE: not computable).  Return the
   block to enter, or NONE if the log makes no sense. */
static u32 other_target(struct kernel *k, const struct op *o, u32 target, u32 logged, u32 step) {
    const struct function *f = &k->t->functions[top_frame(k)->function];
    if (logged >= f->n_blocks) return NONE;
    u32 block = f->first_block + logged;
    if (!(k->t->blocks[block].flags & MARKED) || !is_successor(k->t, o, block)) return NONE;
    if (target != NONE) mismatch(k, step, logged, target - f->first_block);
    return block;
}

/* --- the phis of a block, all at once
   ---------------------------------------------------------- */

static u32 incoming(const struct tables *t, const struct op *o, u32 from) {
    const u32 *x = &t->extras[o->x];
    for (u32 i = 0; i < x[0]; i++)
        if (x[2 + 2 * i] == from) return x[3 + 2 * i];
    return NONE;
}

/* Return the number of phis; 0 if one has no value for the block that control comes from. */
OUTLINE u32 evaluate_phis(struct kernel *k, struct frame *f, const struct op *o) {
    u64 *to = k->scratch;
    u32 n = 0;
    for (; o[n].code == PHI; n++) {
        u32 slots = k->t->extras[o[n].x + 1], v = incoming(k->t, &o[n], f->from);
        if (v == NONE) return 0;
        memcpy(to, place_of(k, f, v), 8ul * slots);
        to += slots;
    }
    to = k->scratch;
    for (u32 i = 0; i < n; i++) {
        u32 slots = k->t->extras[o[i].x + 1];
        memcpy(f->slots + o[i].dst, to, 8ul * slots);
        to += slots;
    }
    return n;
}

static u64 gep(const struct kernel *k, const struct frame *f, const struct op *o) {
    u64 address = value_of(k, f, o->a) + (o->c == NONE ? 0 : k->t->constants[o->c]);
    const u32 *x = &k->t->extras[o->x];
    for (u32 i = 0; i < x[0]; i++) {
        const u32 *index = &x[1 + 4 * i];
        address += (u64)sext(value_of(k, f, index[0]), index[1]) * (index[2] | (u64)index[3] << 32);
    }
    return address;
}

#endif
