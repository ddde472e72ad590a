/* What can be computed once, before the first step? */
#include "kernel.h"

#define EXPORT __attribute__((visibility("default")))

#include <stdio.h>
#include <stdlib.h>

static int size_class(u32 x) { return x == 1 ? 0 : x == 2 ? 1 : x == 4 ? 2 : x == 8 ? 3 : -1; }

static u8 specialise(const struct tables *t, const struct op *o) {
    if (o->flags & (CHECKED | CORRECTED)) return o->code;
    int size = size_class(o->x);
    int plain = size >= 0 && !o->c;
    switch (o->code) {
    case LOAD: return plain && o->flags & LINK ? (u8)(LOAD1 + size) : LOAD;
    case LLOAD: return plain && o->flags & LINK ? (u8)(LLOAD1 + size) : LLOAD;
    case STORE: return plain ? (u8)(STORE1 + size) : STORE;
    case LSTORE: return plain ? (u8)(LSTORE1 + size) : LSTORE;
    case ADD: return o->bits == 32 ? ADD32 : o->bits == 64 ? ADD64 : ADD;
    case SUB: return o->bits == 32 ? SUB32 : o->bits == 64 ? SUB64 : SUB;
    case MOVE: return o->x == 1 && (o->bits >= 64 || !o->bits) ? MOVE1 : MOVE;
    case SEXT: return o->c == 32 && o->bits == 64 ? SEXT32 : SEXT;
    case ICMP: return o->bits == 32 ? ICMP32 : o->bits == 64 ? ICMP64 : ICMP;
    case GEP: return t->extras[o->x] == 1 && t->extras[o->x + 2] == 64 ? GEP1 : GEP;
    default: return o->code;
    }
}

static int several(const struct tables *t, const struct op *o) { /* Are there several successors? */
    const u32 *x = &t->extras[o->x];
    switch (o->code) {
    case CALL: return 1; /* an invoke: returns or throws */
    case CBR: return o->b != o->c;
    case SWITCH:
        for (u32 i = 0; i < x[1]; i++)
            if (x[4 + 3 * i] != x[0]) return 1;
        return 0;
    case INDIRECTBR:
        for (u32 i = 0; i < x[0]; i++)
            if (x[1 + i] != x[1]) return 1;
        return 0;
    default: return 0;
    }
}

static u32 entry_size(const struct tables *t, const struct function *f) {
    u32 size = f->flags & FLANDS ? 8 : 0;
    for (u32 i = 0; i < f->n_params; i++) {
        const struct param *p = &t->params[f->first_param + i];
        if (f->flags & FPARAMS || p->flags & BYVAL) size += p->size;
    }
    return size;
}

static u64 hash(u64 fid) { return (fid * 0x9e3779b97f4a7c15u) >> 24; }

static u64 scratch_slots(const struct tables *t) {
    u64 most = 1 << 16, phis = 0; /* check.c: no value has more */
    for (u64 i = 0; i < t->n_ops; i++) {
        phis = t->ops[i].code == PHI ? phis + t->extras[t->ops[i].x + 1] : 0;
        if (phis > most) most = phis;
    }
    return most;
}

static int allocate(struct prepared *k) {
    const struct tables *t = &k->t;
    for (k->fid_slots = 16; k->fid_slots < 2 * t->n_functions;) k->fid_slots *= 2;
    k->scratch_slots = scratch_slots(t);
    k->ops = malloc(t->n_ops * sizeof *k->ops + 1);
    k->branches = calloc(t->n_blocks + 1, 1);
    k->entry_size = calloc(t->n_functions + 1, sizeof *k->entry_size);
    k->by_fid = calloc(k->fid_slots, sizeof *k->by_fid);
    return k->ops && k->branches && k->entry_size && k->by_fid;
}

/* A frame-local load that may read bytes written by an LCOPY keeps its general code, which
   checks that. */
static void general_loads(struct prepared *k, const struct function *f) {
    const struct op *from = &k->t.ops[f->first_op], *to = from + f->n_ops, *o = from;
    while (o < to && o->code != LCOPY) o++;
    if (o == to) return;
    u8 *copied = calloc(f->local_bytes + 1ul, 1); /* NULL: all loads keep it */
    for (; o < to; o++)
        if (copied && o->code == LCOPY) memset(copied + o->b, 1, o->x);
    for (o = from; o < to; o++)
        if (o->code == LLOAD && (!copied || memchr(copied + o->b, 1, o->x)))
            k->ops[o - k->t.ops].code = LLOAD;
    free(copied);
}

static void fill(struct prepared *k) {
    const struct tables *t = &k->t;
    for (u64 i = 0; i < t->n_ops; i++) {
        k->ops[i] = t->ops[i];
        k->ops[i].code = specialise(t, &t->ops[i]);
    }
    for (u64 i = 0; i < t->n_functions; i++) general_loads(k, &t->functions[i]);
    for (u64 i = 0; i < t->n_blocks; i++) {
        u32 stretch = t->blocks[i].first_stretch + t->blocks[i].n_stretches - 1;
        const struct stretch *last = &t->stretches[stretch];
        k->branches[i] = (u8)several(t, &t->ops[last->first_op + last->n_ops - 1]);
    }
    for (u64 i = 0; i < t->n_functions; i++) {
        k->entry_size[i] = entry_size(t, &t->functions[i]);
        u64 at = hash(t->functions[i].fid);
        while (k->by_fid[at & (k->fid_slots - 1)]) at++;
        k->by_fid[at & (k->fid_slots - 1)] = (u32)i + 1;
    }
}

EXPORT void replay_free(struct prepared *k) {
    if (!k) return;
    free(k->ops);
    free(k->branches);
    free(k->entry_size);
    free(k->by_fid);
    free(k);
}

/* Return NULL if the tables are wrong, with the reason in `message`.  The caller owns the
   arrays. */
EXPORT struct prepared *replay_prepare(const struct tables *t, char *message, size_t size) {
    if (check_tables(t, message, size)) return NULL;
    struct prepared *k = calloc(1, sizeof *k);
    if (k) k->t = *t;
    if (k && allocate(k)) {
        fill(k);
        return k;
    }
    snprintf(message, size, "out of memory");
    replay_free(k);
    return NULL;
}

u32 function_of(const struct prepared *k, u64 fid) {
    for (u64 at = hash(fid);; at++) {
        u32 found = k->by_fid[at & (k->fid_slots - 1)];
        if (!found) return NONE;
        if (k->t.functions[found - 1].fid == fid) return found - 1;
    }
}
