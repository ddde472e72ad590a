/* How are values in several slots, or in several pieces of memory, read and written? */
#ifndef WHENCE_VALUES_H
#define WHENCE_VALUES_H
#include "kernel.h"

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

/* --- links ------------------------------------------------------------------------------- */

INLINE int same1(const u32 *d) { (void)d; return 1; }
INLINE int same2(const u32 *d) { return d[0] == d[1]; }
INLINE int same4(const u32 *d) { return !((d[0] ^ d[1]) | (d[0] ^ d[2]) | (d[0] ^ d[3])); }
INLINE int same8(const u32 *d) {
    u64 q[4];
    memcpy(q, d, 32);
    return !((q[0] ^ q[1]) | (q[0] ^ q[2]) | (q[0] ^ q[3])) && d[0] == d[1];
}

OUTLINE u32 local_link(struct kernel *k, const u32 *definer, u32 size) {
    k->runs.n = 0;
    for (u32 i = 0; i < size; i++) runs_add(&k->memory, &k->runs, i, 1, definer[i]);
    return link_of_runs(k);
}

OUTLINE u32 memory_link(struct kernel *k, u64 address, const u8 *data, u32 size, u32 step) {
    k->runs.n = 0;
    memory_load(&k->memory, address, data, size, 0, &k->runs);
    add_copied_runs(k, address, size, step);
    return link_of_runs(k);
}

/* --- wide values: in several slots, or spread over memory by a layout
   -------------------------- */

INLINE u32 slots_of(u32 bytes) { return (bytes + 7) / 8; }

/* The leaves of a value: as in its layout, or all its bytes in one piece. */
INLINE u32 leaves_of(const struct tables *t, u32 layout) { return layout ? t->extras[layout] : 1; }

INLINE void leaf(const struct tables *t, u32 layout, u32 i, u32 all, u32 *offset, u32 *size) {
    *offset = layout ? t->extras[layout + 1 + 2 * i] : 0;
    *size = layout ? t->extras[layout + 2 + 2 * i] : all;
}

/* Fill slots from the log; return the number of bytes of log used. */
static u32 unpack(const struct tables *t, u64 *slots, u32 n_slots, u32 layout, u32 all, const u8 *p) {
    u32 used = 0;
    memset(slots, 0, 8ul * n_slots);
    for (u32 i = 0, offset, size; i < leaves_of(t, layout); i++, used += size) {
        leaf(t, layout, i, all, &offset, &size);
        memcpy(slots, p + used, size);
        slots += slots_of(size);
    }
    return used;
}

static u32 layout_slots(const struct tables *t, u32 layout, u32 all) {
    u32 slots = 0;
    for (u32 i = 0, offset, size; i < leaves_of(t, layout); i++, slots += slots_of(size))
        leaf(t, layout, i, all, &offset, &size);
    return slots;
}

static u32 logged_bytes(const struct tables *t, u32 layout, u32 all) {
    u32 bytes = 0;
    for (u32 i = 0, offset, size; i < leaves_of(t, layout); i++, bytes += size)
        leaf(t, layout, i, all, &offset, &size);
    return bytes;
}

OUTLINE u32 load_link(struct kernel *k, const struct op *o, u64 address, const u8 *p) {
    k->runs.n = 0;
    for (u32 i = 0, offset, size; i < leaves_of(k->t, o->c); i++, p += size) {
        leaf(k->t, o->c, i, o->x, &offset, &size);
        memory_load(&k->memory, address + offset, p, size, offset, &k->runs);
    }
    return link_of_runs(k);
}

OUTLINE void store(struct kernel *k, const struct op *o, u64 address, const u64 *value, u32 step) {
    for (u32 i = 0, offset, size; i < leaves_of(k->t, o->c); i++) {
        leaf(k->t, o->c, i, o->x, &offset, &size);
        memory_store(&k->memory, address + offset, (const u8 *)value, size, step);
        value += slots_of(size);
    }
    add_write(k, address, o->x, step);
}

OUTLINE void local_load(struct kernel *k, const struct op *o, u64 *slots, const u8 *local) {
    memset(slots, 0, 8ul * result_slots(k->t, &k->t->ops[o - k->ops]));
    for (u32 i = 0, offset, size; i < leaves_of(k->t, o->c); i++) {
        leaf(k->t, o->c, i, o->x, &offset, &size);
        memcpy(slots, local + o->b + offset, size);
        slots += slots_of(size);
    }
}

OUTLINE u32 local_load_link(struct kernel *k, const struct op *o, const u32 *definer) {
    k->runs.n = 0;
    for (u32 i = 0, offset, size; i < leaves_of(k->t, o->c); i++) {
        leaf(k->t, o->c, i, o->x, &offset, &size);
        for (u32 j = offset; j < offset + size; j++)
            runs_add(&k->memory, &k->runs, j, 1, definer[o->b + j]);
    }
    return link_of_runs(k);
}

OUTLINE void local_store(struct kernel *k, const struct op *o, const struct frame *f,
                         const u64 *value, u32 step) {
    for (u32 i = 0, offset, size; i < leaves_of(k->t, o->c); i++) {
        leaf(k->t, o->c, i, o->x, &offset, &size);
        memcpy(f->local + o->b + offset, value, size);
        value += slots_of(size);
        for (u32 j = 0; j < size; j++) f->definer[o->b + offset + j] = step;
    }
}

#endif
