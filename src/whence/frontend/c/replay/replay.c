/* What did a recorded thread do?  Interprets its ops with its log at hand.

   One interpreter serves two ends: `replay_open` runs it over the whole log and writes the
   columns; `replay_window` runs it again from a checkpoint to give the values of some steps, and
   then leaves out memory, definers and control (loads are logged, so values need none of it).

   1. The tables are sound (check.c): no index from them is checked here.
   2. Every read of the log is: `end - p` is asked before, and a step that lacks its bytes did
      not happen.
   3. `step` is the number of the op under execution; outside of an op, of the last one. */
#include "arithmetic.h"
#include "kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

static const u32 LAST_STEP = 0xBFFFFFFFu - (1u << 24); /* links above 0xC0000000 are mixed */
static const u64 PROGRESS = 1 << 20;
static const u32 QUIET = 10 * 1000 * 1000; /* ops that may run without a byte of log */

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

/* --- wide values: those in several slots, or spread over memory by a layout ------------------ */

INLINE u32 slots_of(u32 bytes) { return (bytes + 7) / 8; }

/* The leaves of a value: by its layout, or all its bytes in one piece. */
INLINE u32 leaves_of(const struct tables *t, u32 layout) { return layout ? t->extras[layout] : 1; }

INLINE void leaf(const struct tables *t, u32 layout, u32 i, u32 all, u32 *offset, u32 *size) {
    *offset = layout ? t->extras[layout + 1 + 2 * i] : 0;
    *size = layout ? t->extras[layout + 2 + 2 * i] : all;
}

/* Slots from `bytes` of log; returns how many bytes those were. */
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

/* --- checking ------------------------------------------------------------------------------ */

static void mismatch(struct kernel *k, u32 step, u64 logged, u64 computed) {
    if (k->meta->mismatches < MISMATCHES)
        k->meta->mismatch[k->meta->mismatches] = (struct mismatch){step, logged, computed};
    k->meta->mismatches++;
}

static u32 checked_bytes(const struct op *o) { /* of the first slot */
    switch (o->code) {
    case ICMP: case FCMP: return 1;
    case GEP: case GEPC: case ALLOCA: case FPEXT: return 8;
    case FPTRUNC: return 4;
    case LLOAD: return o->x;
    default: return o->bits && o->bits < 64 ? (o->bits + 7u) / 8 : 8;
    }
}

/* Compare the result of `o` with the logged one; returns the bytes of log, 0 if they lack. */
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

/* --- calls --------------------------------------------------------------------------------- */

static struct frame *top_frame(struct kernel *k) {
    return k->n_frames ? &k->frames[k->n_frames - 1] : NULL;
}

static void out_of_memory(struct kernel *k) {
    fail(k, STOPPED, "out of memory at step %u", k->step);
}

static void damaged(struct kernel *k, const u8 *p, const char *what) {
    fail(k, DAMAGED, "%s, at offset %llu", what, (unsigned long long)(p - k->log));
}

static void end_activation(struct kernel *k, const struct frame *f, u32 ret, u32 flags) {
    struct activation *row = (struct activation *)(void *)k->activations.rows + f->activation;
    row->last_instance = f->last_instance;
    row->ret = ret;
    row->flags |= flags;
}

static int start_activation(struct kernel *k, struct frame *f, u32 parent) {
    struct activation *row = mapped_add(&k->activations, sizeof *row);
    if (!row) return fail(k, STOPPED, "cannot write the columns: %s", strerror(k->activations.error)), 0;
    f->activation = (u32)(k->activations.used / sizeof *row) - 1;
    *row = (struct activation){f->function, parent, f->entered_by, k->instance, k->instance, 0,
                               f->by_call ? DIRECT : 0, k->n_frames};
    return 1;
}

/* Give the parameters their values: the logged ones, else those of the call. */
static void pass(struct kernel *k, struct frame *f, const struct frame *caller, const u32 *call,
                 const u8 *p, int recording) {
    const struct function *function = &k->t->functions[f->function];
    for (u32 i = 0; i < function->n_params; i++) {
        const struct param *param = &k->t->params[function->first_param + i];
        const u32 *argument = call && i < call[X_ARGS] ? &call[X_LIST + 3 * i] : NULL;
        if (argument && argument[0] == NONE) argument = NULL;
        const u64 *value = argument ? place_of(k, caller, argument[0]) : NULL;
        u64 *slots = f->slots + param->slot;
        memset(slots, 0, 8ul * param->n_slots);
        if (function->flags & FPARAMS || param->flags & BYVAL) {
            memcpy(slots, p, param->size);
            p += param->size;
        } else if (argument)
            memcpy(slots, value, 8ul * (argument[1] < param->n_slots ? argument[1] : param->n_slots));
        if (recording && argument && param->flags & BYVAL && param->byval_size <= 0xffffffffu &&
            param->n_slots && argument[1])
            copy_bytes(k, slots[0], value[0], param->byval_size, f->entered_by);
    }
}

/* Read what is logged of an entry at k->p and push the frame; 0: failed, with the status set.
   `function`: which one is entered, if that is known without an ENTRY item (NONE: it is not). */
static int enter(struct kernel *k, u32 function, int recording) {
    const u8 *p = k->p;
    u32 named = function == NONE ? 7 : 0;
    if (named) {
        u64 fid = 0;
        if (k->end - p < 7) return fail(k, CUT, "the log ends within an entry"), 0;
        memcpy(&fid, p + 1, 6);
        function = function_of(k->prepared, fid);
        if (function == NONE) return damaged(k, p, "no function has this number"), 0;
        p += 7;
    }
    if ((u64)(k->end - p) < k->prepared->entry_size[function]) return fail(k, CUT, "the log ends within an entry"), 0;

    struct frame *caller = top_frame(k);
    const u32 *call = NULL;
    u32 by = 0, parent = 0;
    if (caller) {
        const u32 *x = &k->t->extras[k->ops[caller->call_op].x];
        u64 callee = x[X_CALLEE] == NONE ? 0 : value_of(k, caller, x[X_CALLEE]);
        u64 entry = k->t->entries[function];
        if (x[X_FLAGS] & SURE && !caller->direct && entry && callee && entry != callee)
            return damaged(k, k->p, "another function is entered than was called"), 0;
        if (!caller->direct && (x[X_FLAGS] & SURE || (entry && entry == callee))) call = x;
        if (call) caller->direct = 1;
        else k->memory.external = caller->call;
        by = caller->call;
        parent = caller->activation;
    }
    struct frame *f = push_frame(k, function);
    if (!f) return out_of_memory(k), 0;
    f->entered_by = f->control = by;
    f->by_call = call != NULL;
    f->block = k->t->functions[function].first_block;
    f->stretch = k->t->blocks[f->block].first_stretch;
    if (k->t->functions[function].flags & FLANDS) {
        memcpy(&f->address, p, 8);
        p += 8;
    }
    k->p += named + k->prepared->entry_size[function];
    if (recording && !start_activation(k, f, parent)) return 0;
    pass(k, f, call ? f - 1 : NULL, call, p, recording);
    return 1;
}

/* The call that `f` waits for returned: its result is at k->p + skip. */
static int take_result(struct kernel *k, struct frame *f, u32 call_op, u32 skip) {
    const struct op *o = &k->ops[call_op];
    const u32 *x = &k->t->extras[o->x];
    if ((u64)(k->end - k->p) < (u64)skip + x[X_BYTES])
        return fail(k, CUT, "the log ends within what a call returned"), 0;
    if (o->dst != NONE && x[X_SLOTS]) {
        unpack(k->t, f->slots + o->dst, x[X_SLOTS], o->c, x[X_BYTES], k->p + skip);
        if (k->window) note_result(k, f->slots + o->dst, x[X_SLOTS], f->call);
    }
    k->p += skip + x[X_BYTES];
    return 1;
}

static u32 stretch_of(const struct kernel *k, const struct function *f, u32 op) {
    for (u32 i = f->first_stretch; i < f->first_stretch + f->n_stretches; i++)
        if (op - k->t->stretches[i].first_op < k->t->stretches[i].n_ops) return i;
    return NONE;
}

/* Read the item 0x02 at k->p: unwind to the activation that goes on.  Returns the landing block
   to enter, or NONE when it goes on after a setjmp, at stretch f->stretch + 1. */
static int land(struct kernel *k, int recording, u32 *landing) {
    u64 address = 0;
    u16 number = 0;
    u32 n = k->n_frames, from = top_frame(k)->call;
    if (k->end - k->p < 11) return fail(k, CUT, "the log ends within a landing"), 0;
    memcpy(&address, k->p + 1, 8);
    memcpy(&number, k->p + 9, 2);
    const struct function *function = NULL;
    for (; n; n--) {
        function = &k->t->functions[k->frames[n - 1].function];
        if (function->flags & FLANDS && k->frames[n - 1].address == address) break;
    }
    if (!n) return damaged(k, k->p, "no activation has this frame address"), 0;
    if (number >= function->n_sites) return damaged(k, k->p, "no site has this number"), 0;
    const struct site *site = &k->t->sites[function->first_site + number];
    struct frame *f = &k->frames[n - 1];
    const u32 *waits = &k->t->extras[k->ops[f->call_op].x];
    if (site->kind == 0 && !(waits[X_FLAGS] & INVOKE && k->t->blocks[site->target].flags & LANDING))
        return damaged(k, k->p, "a landing where nothing was invoked"), 0;
    u32 stretch = site->kind ? stretch_of(k, function, site->target) : 0;
    if (stretch == NONE) return damaged(k, k->p, "a site outside of its function"), 0;

    for (; k->n_frames > n; pop_frame(k))
        if (recording) end_activation(k, top_frame(k), 0, UNWOUND);
    *landing = site->kind ? NONE : site->target;
    k->memory.external = from;
    if (!site->kind) {
        k->p += 11;
        /* What threw decided it (or, after a cleanup, what went on unwinding), not the call. */
        u32 decider = k->resumed ? k->resumed : from;
        k->resumed = 0;
        return push_decision(k, decider, k->t->blocks[f->block].ipdom) || (out_of_memory(k), 0);
    }
    int again = f->call_op != site->target;
    if (again) f->call = 0; /* its result is no longer that of a step */
    if (!take_result(k, f, site->target, 11)) return 0;
    f->block = k->t->stretches[stretch].block;
    f->stretch = stretch;
    if (again) { /* by longjmp, which decided that all this runs once more */
        if (k->n_decisions > f->twice) k->n_decisions = f->twice;
        f->control = from;
        return push_decision(k, from, k->t->blocks[f->block].ipdom) || (out_of_memory(k), 0);
    }
    f->twice = k->n_decisions;
    return 1;
}

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

/* The log names another block than we computed (`target`, NONE: we could not): which to enter?
   NONE: the log makes no sense. */
static u32 other_target(struct kernel *k, const struct op *o, u32 target, u32 logged, u32 step) {
    const struct function *f = &k->t->functions[top_frame(k)->function];
    if (logged >= f->n_blocks) return NONE;
    u32 block = f->first_block + logged;
    if (!(k->t->blocks[block].flags & MARKED) || !is_successor(k->t, o, block)) return NONE;
    if (target != NONE) mismatch(k, step, logged, target - f->first_block);
    return block;
}

/* --- the phis of a block, all at once ---------------------------------------------------------- */

static u32 incoming(const struct tables *t, const struct op *o, u32 from) {
    const u32 *x = &t->extras[o->x];
    for (u32 i = 0; i < x[0]; i++)
        if (x[2 + 2 * i] == from) return x[3 + 2 * i];
    return NONE;
}

/* Returns how many there are; 0: none has a value for the block that we come from. */
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

/* --- the interpreter --------------------------------------------------------------------------- */

/* Now and then: a checkpoint, a sign of life.  0: stop. */
OUTLINE int event(struct kernel *k) {
    if (k->step >= LAST_STEP) return fail(k, STOPPED, "more than %u steps", LAST_STEP), 0;
    if (k->n_mixed >> 29 || k->n_runs >> 31)
        return fail(k, STOPPED, "too many values put together from several writes"), 0;
    if (k->memory.out_of_memory) return out_of_memory(k), 0;
    if (k->step >= k->next_checkpoint) save_checkpoint(k);
    if (k->step >= k->next_progress) {
        k->next_progress = k->step + PROGRESS;
        if (k->progress && k->progress(k->step, (u64)(k->p - k->log)))
            return fail(k, STOPPED, "cancelled"), 0;
    }
    k->next_event = k->next_checkpoint < k->next_progress ? k->next_checkpoint : k->next_progress;
    if (k->next_event > LAST_STEP) k->next_event = LAST_STEP;
    return 1;
}

INLINE void start_instance(struct kernel *k, struct frame *f, u32 stretch, u32 step) {
    u32 instance = k->instance++;
    f->last_instance = instance;
    column_u32(&k->stretch, stretch);
    column_u32(&k->first, step + 1);
    column_u32(&k->activation, f->activation);
    column_u32(&k->control, f->control);
    if (instance % 64 == 0) {
        u64 links = column_bytes(&k->links) / 4;
        memcpy(column_add(&k->linkbase, 8), &links, 8);
    }
    /* An instance that control left in the middle (a handler jumped out of it) has entries for
       steps that it did not come to. */
    u64 known = step / 64ull + 1;
    if (UNLIKELY(instance && column_bytes(&k->instmap) / 4 > known))
        column_cut(&k->instmap, 4 * known);
    /* step 64*k of this instance, k = 1, 2, ..; k = 0 stands for before the first */
    u32 last = step + k->t->stretches[stretch].n_ops;
    for (u32 n = instance ? last / 64 - step / 64 : last / 64 + 1; UNLIKELY(n); n--)
        column_u32(&k->instmap, instance);
}

#define V(v) (base[(v) >> 31][(v) & 0x7fffffffu])
#define ROOM(n) if (UNLIKELY((u64)(end - p) < (u64)(n))) goto cut
#define LINKED(link) do { if (recording) column_u32(&k->links, link); } while (0)
#define SAVE() (k->p = p, k->step = step)
#define FRAME() (f = top_frame(k), slots = f->slots, local = f->local, definer = f->definer, base[0] = slots)

#define LOAD_CASE(N, T)                                                                            \
    case LOAD##N: {                                                                                \
        T v, had, known;                                                                           \
        ROOM(N);                                                                                   \
        memcpy(&v, p, N);                                                                          \
        if (recording) {                                                                           \
            u64 address = V(o->a);                                                                 \
            u32 at = address & (PAGE - 1), link;                                                   \
            struct bytes *b = at <= PAGE - N ? memory_page(&k->memory, address) : NULL;            \
            if (b && (memcpy(&had, b->data + at, N), memcpy(&known, b->known + at, N), had == v) && \
                known == (T)0x0101010101010101ull && same##N(b->definer + at)) {                   \
                link = b->definer[at];                                                             \
                if (UNLIKELY(is_copy(k, link))) add_copied(k, address, N, step);                   \
            } else                                                                                 \
                link = memory_link(k, address, p, N, step);                                        \
            LINKED(link);                                                                          \
        }                                                                                          \
        slots[o->dst] = v;                                                                         \
        p += N;                                                                                    \
        goto next;                                                                                 \
    }

#define STORE_CASE(N, T)                                                                           \
    case STORE##N: {                                                                               \
        T v = (T)V(o->a), known = (T)0x0101010101010101ull;                                        \
        u64 address = V(o->b);                                                                     \
        if (UNLIKELY(p == end) && k->crashed && k->crash - address < N) goto cut;                  \
        if (!recording) goto next;                                                                 \
        u32 at = address & (PAGE - 1);                                                             \
        struct bytes *b = at <= PAGE - N ? memory_page(&k->memory, address) : NULL;                \
        if (b) {                                                                                   \
            memcpy(b->data + at, &v, N);                                                           \
            memcpy(b->known + at, &known, N);                                                      \
            for (int i = 0; i < N; i++) b->definer[at + i] = step;                                 \
        } else                                                                                     \
            memory_store(&k->memory, address, (const u8 *)&v, N, step);                            \
        add_write(k, address, N, step);                                                            \
        goto next;                                                                                 \
    }

#define LLOAD_CASE(N, T)                                                                           \
    case LLOAD##N: {                                                                               \
        T v;                                                                                       \
        memcpy(&v, local + o->b, N);                                                               \
        slots[o->dst] = v;                                                                         \
        LINKED(same##N(definer + o->b) ? definer[o->b] : local_link(k, definer + o->b, N));        \
        goto next;                                                                                 \
    }

#define LSTORE_CASE(N, T)                                                                          \
    case LSTORE##N: {                                                                              \
        T v = (T)V(o->a);                                                                          \
        memcpy(local + o->b, &v, N);                                                               \
        if (recording) for (int i = 0; i < N; i++) definer[o->b + i] = step;                       \
        goto next;                                                                                 \
    }

/* Where the thread goes on elsewhere, for a signal handler jumped; else the end of the log. */
static const u8 *next_jump(const struct kernel *k, const u8 *after) {
    for (u64 i = 0; i < k->n_jumps; i++)
        if (k->jumps[i] >= (u64)(after - k->log)) return k->log + k->jumps[i];
    return k->end;
}

/* The ops from `o` on, of those of its stretch, did not run: give each its entry in `links`, so
   that the number of links of an instance follows from its stretch. */
static void pad_links(struct kernel *k, const struct op *o, u32 stretch) {
    const struct stretch *s = &k->t->stretches[stretch];
    for (; o < &k->ops[s->first_op + s->n_ops]; o++)
        if (o->flags & LINK) column_u32(&k->links, 0);
}

INLINE void run(struct kernel *k, const int recording, int resuming) {
    const struct tables *t = k->t;
    const u8 *p = k->p, *end = next_jump(k, k->p);
    const u64 *base[2] = {NULL, t->constants};
    const struct op *o = NULL;
    struct frame *f = NULL;
    u64 *slots = NULL;
    u8 *local = NULL;
    u32 *definer = NULL, step = k->step, target, stretch;

    if (resuming) {
        FRAME();
        stretch = f->stretch;
        goto start;
    }

outside: /* no activation: the next item begins one */
    if (p == end) goto ended;
    SAVE();
    if (*p == 3) {
        if (!read_effect(k, 0, recording)) return;
        p = k->p;
        goto outside;
    }
    if (*p != 0) return damaged(k, p, "no function is entered");

entry:
    target = NONE;
quiet: /* enters `target`, of which no ENTRY tells, or what the ENTRY names */
    SAVE();
    if (!enter(k, target, recording)) return;
    p = k->p;
    FRAME();
    stretch = f->stretch;
    goto start;

jump: /* the op `o` goes to `target` */
    if (t->blocks[target].flags) {
        if (t->blocks[target].flags & LANDING) {
            SAVE();
            return damaged(k, p, "a jump to a landing pad");
        }
        u32 wide = t->functions[f->function].flags & FWIDE ? 2 : 1;
        if ((u64)(end - p) < wide) goto ended_early;
        u32 logged = wide == 2 ? p[0] | (u32)p[1] << 8 : p[0];
        if (UNLIKELY(logged != target - t->functions[f->function].first_block)) {
            SAVE();
            target = other_target(k, &t->ops[o - k->ops], target, logged, step);
            if (target == NONE) return damaged(k, p, "no branch goes to this block");
        }
        p += wide;
    }
block:
    f->from = f->block;
    f->block = target;
    stretch = t->blocks[target].first_stretch;
    if (recording) {
        while (k->n_decisions > f->decisions && k->decisions[k->n_decisions - 1].ipdom == target)
            k->n_decisions--;
        f->control = k->n_decisions > f->decisions ? k->decisions[k->n_decisions - 1].step : f->entered_by;
    }
start:
    f->stretch = stretch;
    if (p != k->quiet_at) {
        k->quiet_at = p;
        k->quiet_since = step;
    } else if (UNLIKELY(step - k->quiet_since > QUIET)) {
        SAVE();
        return damaged(k, p, "the log tells nothing for too long");
    }
    if (recording && UNLIKELY(step >= k->next_event)) {
        SAVE();
        if (!event(k)) return;
    }
    if (recording) start_instance(k, f, stretch, step);
    o = &k->ops[t->stretches[stretch].first_op];
    goto execute;

checked:
    if (UNLIKELY(o->flags & CHECKED)) {
        u32 size = check_result(k, o, slots + o->dst, p, step);
        if (!size) goto cut;
        p += size;
    }
next:
    if (!recording && step >= k->window->from)
        note_result(k, slots + o->dst, result_slots(t, &t->ops[o - k->ops]), step);
    o++;
execute:
    step++;
    if (!recording) {
        if (step >= k->window->to) {
            step--;
            SAVE();
            return;
        }
        if (step >= k->window->from) note_before(k, f, &t->ops[o - k->ops], p, step);
    }
    switch (o->code) {
    LOAD_CASE(1, u8) LOAD_CASE(2, u16) LOAD_CASE(4, u32) LOAD_CASE(8, u64)
    STORE_CASE(1, u8) STORE_CASE(2, u16) STORE_CASE(4, u32) STORE_CASE(8, u64)
    LLOAD_CASE(1, u8) LLOAD_CASE(2, u16) LLOAD_CASE(4, u32) LLOAD_CASE(8, u64)
    LSTORE_CASE(1, u8) LSTORE_CASE(2, u16) LSTORE_CASE(4, u32) LSTORE_CASE(8, u64)
    case NOP: goto next;
    case ADD32: slots[o->dst] = (u32)(V(o->a) + V(o->b)); goto next;
    case ADD64: slots[o->dst] = V(o->a) + V(o->b); goto next;
    case SUB32: slots[o->dst] = (u32)(V(o->a) - V(o->b)); goto next;
    case SUB64: slots[o->dst] = V(o->a) - V(o->b); goto next;
    case MOVE1: slots[o->dst] = V(o->a); goto next;
    case SEXT32: slots[o->dst] = (u64)(i64)(i32)V(o->a); goto next;
    case ICMP32: slots[o->dst] = (u64)compare(o->c, V(o->a), V(o->b), 32); goto next;
    case ICMP64: slots[o->dst] = (u64)compare(o->c, V(o->a), V(o->b), 64); goto next;
    case GEP1: {
        const u32 *x = &t->extras[o->x];
        u64 scale = x[3] | (u64)x[4] << 32;
        slots[o->dst] = V(o->a) + (o->c == NONE ? 0 : t->constants[o->c]) + V(x[1]) * scale;
        goto next;
    }
    case ADD: slots[o->dst] = mask(V(o->a) + V(o->b), o->bits); goto checked;
    case SUB: slots[o->dst] = mask(V(o->a) - V(o->b), o->bits); goto checked;
    case MUL: slots[o->dst] = mask(V(o->a) * V(o->b), o->bits); goto checked;
    case UDIV: case SDIV: case UREM: case SREM:
        if (p == end && k->crashed && traps(o->code, V(o->a), V(o->b), o->bits)) goto cut;
        slots[o->dst] = divide(o->code, V(o->a), V(o->b), o->bits);
        goto checked;
    case SHL: case LSHR: case ASHR:
        slots[o->dst] = shift(o->code, V(o->a), V(o->b), o->bits);
        goto checked;
    case AND: slots[o->dst] = V(o->a) & V(o->b); goto checked;
    case OR: slots[o->dst] = V(o->a) | V(o->b); goto checked;
    case XOR: slots[o->dst] = V(o->a) ^ V(o->b); goto checked;
    case ICMP: slots[o->dst] = (u64)compare(o->c, V(o->a), V(o->b), o->bits); goto checked;
    case FADD: case FSUB: case FMUL: case FDIV: case FREM: case COPYSIGN:
        slots[o->dst] = float_binary(o, V(o->a), V(o->b));
        goto checked;
    case FNEG: case FABS: case SQRT: case FLOOR: case CEIL: case TRUNCF: case RINT:
        slots[o->dst] = float_unary(o, V(o->a));
        goto checked;
    case FCMP:
        slots[o->dst] = (u64)(o->bits == 32
            ? compare_float(o->c, as_float(V(o->a)), as_float(V(o->b)))
            : compare_float(o->c, as_double(V(o->a)), as_double(V(o->b))));
        goto checked;
    case TRUNC: slots[o->dst] = mask(V(o->a), o->bits); goto checked;
    case SEXT: slots[o->dst] = mask((u64)sext(V(o->a), o->c), o->bits); goto checked;
    case MOVE:
        memmove(slots + o->dst, &V(o->a), 8ul * o->x);
        if (o->x == 1 && o->bits) slots[o->dst] = mask(slots[o->dst], o->bits);
        goto checked;
    case EXTRACT:
        memmove(slots + o->dst, &V(o->a) + o->c, 8ul * o->x);
        goto checked;
    case INSERT:
        memmove(slots + o->dst, &V(o->a), 8ul * o->x);
        memmove(slots + o->dst + o->c, &V(o->b), 8ul * o->bits);
        goto checked;
    case SELECT:
        memmove(slots + o->dst, V(o->a) & 1 ? &V(o->b) : &V(o->c), 8ul * o->x);
        goto checked;
    case FPTRUNC: slots[o->dst] = of_float((float)as_double(V(o->a))); goto checked;
    case FPEXT: slots[o->dst] = of_double((double)as_float(V(o->a))); goto checked;
    case FPTOUI: case FPTOSI: slots[o->dst] = to_integer(o, V(o->a)); goto checked;
    case UITOFP: case SITOFP: slots[o->dst] = to_float(o, V(o->a)); goto checked;
    case OVERFLOWING: overflowing(o, V(o->a), V(o->b), slots + o->dst); goto checked;
    case ABS: case CTPOP: case CTLZ: case CTTZ: case BSWAP: case BITREVERSE:
        slots[o->dst] = count(o, V(o->a));
        goto checked;
    case SMAX: case SMIN: case UMAX: case UMIN:
        slots[o->dst] = choose(o, V(o->a), V(o->b));
        goto checked;
    case FSHL: case FSHR:
        slots[o->dst] = funnel(o, V(o->a), V(o->b), V(o->c));
        goto checked;
    case GEPC: slots[o->dst] = V(o->a) + t->constants[o->c]; goto checked;
    case GEP: slots[o->dst] = gep(k, f, o); goto checked;
    case PHI: {
        u32 n = evaluate_phis(k, f, o);
        if (!n) {
            step--;
            SAVE();
            return damaged(k, p, "a block is entered from where it cannot be");
        }
        for (; n; n--) {
            if (o->flags & CHECKED) {
                u32 size = check_result(k, o, slots + o->dst, p, step);
                if (!size) goto cut;
                p += size;
            }
            if (n == 1) break;
            if (!recording && step >= k->window->from)
                note_result(k, slots + o->dst, t->extras[o->x + 1], step);
            o++;
            step++;
            if (!recording && step >= k->window->to) {
                step--;
                SAVE();
                return;
            }
            if (!recording && step >= k->window->from) note_before(k, f, &t->ops[o - k->ops], p, step);
        }
        goto next;
    }

    case LOAD: {
        u32 size = logged_bytes(t, o->c, o->x);
        ROOM(size);
        if (recording) {
            u32 link = load_link(k, o, V(o->a), p);
            if (o->flags & LINK) {
                LINKED(link);
                add_copied_runs(k, V(o->a), o->x, step);
            }
        }
        p += unpack(t, slots + o->dst, result_slots(t, o), o->c, o->x, p);
        goto next;
    }
    case STORE:
        if (UNLIKELY(p == end) && k->crashed && k->crash - V(o->b) < o->x) goto cut;
        if (recording) store(k, o, V(o->b), &V(o->a), step);
        goto next;
    case LLOAD:
        if (o->flags & CHECKED) ROOM(o->x); /* else it did not happen and has no link */
        local_load(k, o, slots + o->dst, local);
        if (recording && o->flags & LINK) {
            LINKED(local_load_link(k, o, definer));
            add_copied_runs(k, o->b, o->x, step);
        }
        goto checked;
    case LSTORE:
        local_store(k, o, f, &V(o->a), step);
        goto next;
    case ALLOCA:
        ROOM(8);
        memcpy(slots + o->dst, p, 8);
        p += 8;
        goto next;
    case LALLOCA:
        memset(local + o->b, 0, o->x);
        if (recording) memset(definer + o->b, 0, 4ul * o->x);
        goto next;
    case COPY: case FILL: {
        u64 to = V(o->a), size = V(o->c);
        if (UNLIKELY(p == end) && k->crashed &&
            (k->crash - to < size || (o->code == COPY && k->crash - V(o->b) < size))) goto cut;
        if (size > 0xffffffffu) {
            if (p == end) goto cut;
            step--;
            SAVE();
            return damaged(k, p, "too many bytes are copied or filled");
        }
        if (recording) {
            k->step = step;
            if (o->code == COPY) copy_bytes(k, to, V(o->b), size, step);
            else fill_bytes(k, to, (u8)V(o->b), size, step);
        }
        goto next;
    }
    case LFILL:
        memset(local + o->b, (u8)V(o->a), o->x);
        if (recording) for (u32 i = 0; i < o->x; i++) definer[o->b + i] = step;
        goto next;
    case LCOPYOUT: {
        u64 address = V(o->a);
        if (UNLIKELY(p == end) && k->crashed && k->crash - address < o->x) goto cut;
        if (recording) {
            if (o->flags & LINK) {
                LINKED(local_link(k, definer + o->b, o->x));
                local_copy(k, address, o->b, o->x, step);
            }
            memory_store(&k->memory, address, local + o->b, o->x, step);
            add_write(k, address, o->x, step);
        }
        goto next;
    }
    case LCOPY:
        memmove(local + o->b, local + o->c, o->x);
        if (recording) {
            if (o->flags & LINK) {
                LINKED(local_link(k, definer + o->c, o->x));
                local_copy(k, o->b, o->c, o->x, step);
            }
            for (u32 i = 0; i < o->x; i++) definer[o->b + i] = step;
        }
        goto next;
    case RMW: {
        u64 address = V(o->a);
        ROOM(o->bits);
        if (recording) {
            u32 link = memory_link(k, address, p, o->x, step);
            if (o->flags & LINK) LINKED(link);
            if (o->bits == o->x || p[o->x]) { /* a failed cmpxchg writes nothing */
                memory_write(&k->memory, address, o->x, step);
                add_write(k, address, o->x, step);
            }
        }
        u32 n = result_slots(t, o);
        unpack(t, slots + o->dst, n, 0, o->x, p);
        if (o->bits > o->x) slots[o->dst + n - 1] = p[o->x];
        p += o->bits;
        goto next;
    }
    case OPAQUE: {
        u32 size = logged_bytes(t, o->b, o->bits);
        ROOM(size);
        if (o->c) unpack(t, slots + o->dst, o->c, o->b, o->bits, p);
        p += size;
        goto next;
    }
    case LANDINGPAD:
        ROOM(o->bits);
        if (o->c) unpack(t, slots + o->dst, o->c, 0, o->bits, p);
        p += o->bits;
        goto next;
    case VASTART:
        if (recording) {
            fill_bytes(k, V(o->a), -1, o->x, step);
            memory_variadic(&k->memory, V(o->a), o->x, f->entered_by, k->n_frames);
        }
        goto next;

    case BR: target = o->a; goto jump;
    case CBR: target = V(o->a) & 1 ? o->b : o->c; goto decide;
    case SWITCH:
        if (o->bits) {
            target = switch_target(t, o, V(o->a));
            goto decide;
        } /* on more than 64 bits: as one that we cannot compute */
        /* fall through */
    case INDIRECTBR: { /* what a label's address is, nobody told us; the log names the block */
        u32 wide = t->functions[f->function].flags & FWIDE ? 2 : 1;
        if ((u64)(end - p) < wide) goto ended_early;
        SAVE();
        target = other_target(k, o, NONE, wide == 2 ? p[0] | (u32)p[1] << 8 : p[0], step);
        if (target == NONE) return damaged(k, p, "no branch goes to this block");
        goto decide;
    }
    case RET: {
        const u64 *value = o->a == NONE ? NULL : &V(o->a);
        if (recording) end_activation(k, f, step, 0);
        SAVE();
        struct frame *caller = k->n_frames > 1 ? f - 1 : NULL;
        if (caller && f->by_call) {
            const struct op *call = &k->ops[caller->call_op];
            const u32 *x = &t->extras[call->x];
            if (x[X_FLAGS] & SURE) {
                u32 had = value ? o->x : 0, n = x[X_SLOTS];
                if (call->dst != NONE) {
                    u64 *to = caller->slots + call->dst;
                    for (u32 i = 0; i < n; i++) to[i] = i < had ? value[i] : 0;
                    if (!recording) note_result(k, to, n, caller->call);
                }
                pop_frame(k);
                FRAME();
                goto returned;
            }
        }
        pop_frame(k);
        if (!caller) goto outside;
        FRAME();
        goto called;
    }
    case RESUME: /* the log goes on with a landing in an outer activation */
        if (recording) end_activation(k, f, 0, UNWOUND);
        SAVE();
        k->resumed = step;
        pop_frame(k);
        if (!k->n_frames) goto outside;
        FRAME();
        goto called;
    case UNREACHABLE:
        if (p == end) goto cut;
        step--;
        SAVE();
        return damaged(k, p, "what cannot be reached is");
    case CALL:
        f->call = step;
        f->call_op = (u32)(o - k->ops);
        f->direct = 0;
        if (t->extras[o->x + X_FLAGS] & QUIET_CALL) {
            target = t->extras[o->x + X_SITE];
            goto quiet;
        }
        goto called;
    default: /* check.c let no other code pass */
        step--;
        SAVE();
        return damaged(k, p, "an op has no meaning");
    }

decide: /* a branch that may go several ways decides what runs until its ipdom */
    if (recording && k->prepared->branches[f->block] &&
        !push_decision(k, step, t->blocks[f->block].ipdom)) {
        SAVE();
        return out_of_memory(k);
    }
    goto jump;

called: /* in a call: what comes next? */
    SAVE();
    {
        const u32 *x = &t->extras[k->ops[f->call_op].x];
        if (p == end && end != k->end) goto abrupt;
        if (p == end) {
            if (x[X_FLAGS] & SURE && !f->direct) goto ended_early;
            goto ended;
        }
        switch (*p) {
        case 0:
            goto entry;
        case 1:
            k->resumed = 0;
            if (x[X_FLAGS] & SURE) return damaged(k, p, "a call returns that never began");
            if (!take_result(k, f, f->call_op, 1)) return;
            p = k->p;
            if (!f->direct && !(x[X_FLAGS] & PURE)) k->memory.external = f->call;
            goto returned;
        case 2:
            if (!land(k, recording, &target)) return;
            p = k->p;
            FRAME();
            if (target != NONE) goto block;
            stretch = f->stretch + 1;
            goto start;
        case 3:
            if (!read_effect(k, f->call, recording)) return;
            p = k->p;
            goto called;
        default:
            return damaged(k, p, "no item begins with this byte");
        }
    }

returned:
    o = &k->ops[f->call_op];
    if (t->extras[o->x + X_FLAGS] & INVOKE) {
        if (recording && !push_decision(k, f->call, t->blocks[f->block].ipdom)) {
            SAVE();
            return out_of_memory(k);
        }
        target = t->extras[o->x + X_NORMAL];
        goto jump;
    }
    stretch = f->stretch + 1;
    goto start;

abrupt: /* a signal handler jumped: after whatever ran last, control is elsewhere */
    SAVE();
    if (p != end || *p != 2) return damaged(k, p, "a handler jumped, and nothing landed");
    end = next_jump(k, p + 1);
    f->call = step;
    if (!land(k, recording, &target)) return;
    p = k->p;
    FRAME();
    if (target != NONE) goto block;
    stretch = f->stretch + 1;
    goto start;

cut: /* the op `o` lacks its bytes: it did not happen */
    if (end != k->end) {
        step--;
        if (recording) pad_links(k, o, stretch);
        goto abrupt;
    }
    k->meta->stop_op = (u32)(o - k->ops);
    k->meta->stop_address = address_of(k, f, &t->ops[o - k->ops]);
    step--;
ended_early:
    if (end != k->end) goto abrupt;
    SAVE();
    fail(k, CUT, "the log ends before the run does");
    return;
ended:
    SAVE();
}

OUTLINE void run_recording(struct kernel *k) { run(k, 1, 0); }
OUTLINE void run_window(struct kernel *k, int resuming) { run(k, 0, resuming); }

/* --- interface --------------------------------------------------------------------------------- */

struct named { struct column *column; const char *name; };

static u32 all_columns(struct kernel *k, struct named *to) {
    const struct named all[] = {
        {&k->stretch, "stretch.u32"}, {&k->first, "first.u32"}, {&k->activation, "activation.u32"},
        {&k->control, "control.u32"}, {&k->links, "links.u32"}, {&k->linkbase, "linkbase.u64"},
        {&k->instmap, "instmap.u32"}, {&k->mixed, "mixed.u32"}, {&k->run_rows, "runs"},
        {&k->effects, "effects"}, {&k->writes, "writes"}, {&k->copied, "copied"},
        {&k->checkpoints, "checkpoints"}, {&k->checkpoint_index, "checkpoints.index"},
    };
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

static struct kernel *begin(const struct prepared *prepared, const u8 *log, u64 start, u64 end,
                            struct meta *meta) {
    struct kernel *k = calloc(1, sizeof *k);
    memset(meta, 0, sizeof *meta);
    meta->stop_op = NONE;
    if (!k) return NULL;
    k->prepared = prepared;
    k->t = &prepared->t;
    k->ops = prepared->ops;
    k->log = log;
    k->p = log + start;
    k->end = log + end;
    k->meta = meta;
    k->scratch = calloc(prepared->scratch_slots + 1, 8);
    if (k->scratch) return k;
    free(k);
    return NULL;
}

static void finish(struct kernel *k) {
    free_frames(k);
    free(k->runs.run);
    free(k->copies);
    free(k->scratch);
    free(k);
}

static int open_columns(struct kernel *k, const char *directory) { /* 0 or an errno */
    struct named all[16];
    int error = 0;
    for (u32 i = 0, n = all_columns(k, all); i < n; i++) {
        column_open(all[i].column, directory, all[i].name);
        error = error ? error : all[i].column->error;
    }
    mapped_open(&k->activations, directory, "activations");
    struct activation *outside = mapped_add(&k->activations, sizeof *outside);
    if (outside) *outside = (struct activation){.function = NONE};
    return error ? error : k->activations.error;
}

static int close_columns(struct kernel *k) {
    struct named all[16];
    int error = 0;
    column_trim(&k->instmap, k->instance ? 4 * (k->step / 64ull + 1) : 0);
    for (u32 i = 0, n = all_columns(k, all); i < n; i++) {
        column_close(all[i].column);
        error = error ? error : all[i].column->error;
    }
    mapped_close(&k->activations);
    return error ? error : k->activations.error;
}

static void fill_meta(struct kernel *k) {
    struct meta *meta = k->meta;
    meta->steps = k->step;
    meta->instances = k->instance;
    meta->log_bytes = (u64)(k->p - k->log);
    meta->links = column_bytes(&k->links) / 4;
    meta->activations = k->activations.used / sizeof(struct activation);
    meta->mixed = k->n_mixed;
    meta->runs = k->n_runs;
    meta->checkpoints = column_bytes(&k->checkpoint_index) / sizeof(struct checkpoint);
}

/* Interpret log[start..end) and write the columns.  `jumps`: offsets at which signal handlers
   jumped out, in order.  `crash`: the address whose use killed the
   program, or NULL.  Returns 0, or an errno when the columns could not be written. */
EXPORT int replay_open(const struct prepared *prepared, const u8 *log, u64 start, u64 end,
                       const u64 *jumps, u64 n_jumps, const u64 *crash, u64 memory_limit,
                       u64 checkpoint_every, const char *directory, progress_fn *progress,
                       struct meta *meta) {
    struct kernel *k = begin(prepared, log, start, end, meta);
    if (!k) return ENOMEM;
    k->jumps = jumps;
    k->n_jumps = n_jumps;
    k->crashed = crash != NULL;
    k->crash = crash ? *crash : 0;
    k->progress = progress;
    k->checkpoint_every = k->next_checkpoint = k->next_event = checkpoint_every;
    k->next_progress = PROGRESS;
    memory_open(&k->memory, memory_limit);
    for (u64 i = 0; i < k->t->n_initial; i++)
        memory_initial(&k->memory, k->t->initial[i].address, k->t->initial[i].size,
                       k->t->initial[i].bytes);
    int error = open_columns(k, directory);
    if (!error) {
        run_recording(k);
        for (u32 i = 0; i < k->n_frames; i++) end_activation(k, &k->frames[i], 0, 0);
        if (k->memory.out_of_memory) out_of_memory(k);
    }
    fill_meta(k);
    int closing = close_columns(k);
    memory_close(&k->memory);
    finish(k);
    return error ? error : closing;
}

/* Fill the window's arrays, from the checkpoint at `c` (NULL: from the start).  Returns the number
   of steps of the window that were filled, or -1. */
EXPORT i64 replay_window(const struct prepared *prepared, const u8 *log, u64 start, u64 end,
                         const u64 *jumps, u64 n_jumps, const struct checkpoint *c,
                         const u8 *checkpoints, u64 size, struct window *window,
                         struct meta *meta) {
    struct kernel *k = begin(prepared, log, start, end, meta);
    i64 filled = -1;
    if (!k) return filled;
    k->jumps = jumps;
    k->n_jumps = n_jumps;
    k->window = window;
    if (!c || restore_checkpoint(k, c, checkpoints, size)) {
        run_window(k, c != NULL);
        filled = k->step < window->from ? 0 : (i64)k->step - window->from + 1;
    }
    finish(k);
    return filled;
}
