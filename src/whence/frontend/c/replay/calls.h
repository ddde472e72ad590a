/* How does control enter a function, return from it, and come back by longjmp or an exception? */
#ifndef WHENCE_CALLS_H
#define WHENCE_CALLS_H
#include "windows.h"

#include <errno.h>

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
    if (k->is_laying) return;
    struct activation *row = (struct activation *)(void *)k->activations.rows + f->activation;
    row->last_instance = f->last_instance;
    row->ret = ret;
    row->flags |= flags;
}

static int start_activation(struct kernel *k, struct frame *f, u32 parent) {
    if (k->is_laying) { /* its row exists */
        f->activation = (u32)(k->activations.used / sizeof(struct activation));
        k->activations.used += sizeof(struct activation);
        return 1;
    }
    struct activation *row = mapped_add(&k->activations, sizeof *row);
    if (!row) return fail(k, STOPPED, "cannot write the columns: %s", strerror(k->activations.error)), 0;
    f->activation = (u32)(k->activations.used / sizeof *row) - 1;
    *row = (struct activation){f->function, parent, f->entered_by, k->instance, k->instance, 0,
                               f->by_call ? DIRECT : 0, k->n_frames};
    return 1;
}

/* Set the parameters: to the logged values, or else to the arguments of the call. */
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

/* Read the entry at k->p and push the frame; on failure set the status and return 0.  `function`
   is the entered function if it is known without an ENTRY item, else NONE. */
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
            return damaged(k, k->p, "the entered function is not the one that was called"), 0;
        if (!caller->direct && (x[X_FLAGS] & SURE || (entry && entry == callee))) call = x;
        if (call) caller->direct = 1;
        else k->memory.called = k->memory.external = caller->call;
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

/* The call that `f` waited for returned from code that is not recorded. */
static void note_external(struct kernel *k, const struct frame *f, u32 flags) {
    u32 dst = k->ops[f->call_op].dst;
    if (flags & ERRNO_ADDRESS && dst != NONE) k->memory.errno_at = f->slots[dst];
    if (flags & PURE) return;
    k->memory.called = f->call;
    if (!(flags & WRITES_LOGGED)) k->memory.external = f->call;
}

/* The call that `f` waits for returned: its result is at k->p + skip. */
static int take_result(struct kernel *k, struct frame *f, u32 call_op, u32 skip) {
    const struct op *o = &k->ops[call_op];
    const u32 *x = &k->t->extras[o->x];
    if ((u64)(k->end - k->p) < (u64)skip + x[X_BYTES])
        return fail(k, CUT, "the log ends within the result of a call"), 0;
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

/* Read the item 0x02 at k->p and unwind to the activation that continues.  Set `landing` to the
   landing block to enter, or to NONE if it continues after a setjmp, at stretch f->stretch + 1. */
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
        return damaged(k, k->p, "a landing in a function without an invoke in progress"), 0;
    u32 stretch = site->kind ? stretch_of(k, function, site->target) : 0;
    if (stretch == NONE) return damaged(k, k->p, "a site outside of its function"), 0;

    for (; k->n_frames > n; pop_frame(k))
        if (recording) end_activation(k, top_frame(k), 0, UNWOUND);
    *landing = site->kind ? NONE : site->target;
    k->memory.called = k->memory.external = from;
    if (!site->kind) {
        k->p += 11;
        /* The throw is the controlling step (or, after a cleanup, the resume), not the call. */
        u32 controlling = k->resumed ? k->resumed : from;
        k->resumed = 0;
        return push_decision(k, controlling, k->t->blocks[f->block].ipdom) || (out_of_memory(k), 0);
    }
    int again = f->call_op != site->target;
    if (again) f->call = 0; /* the result belongs to no step */
    if (!take_result(k, f, site->target, 11)) return 0;
    f->block = k->t->stretches[stretch].block;
    f->stretch = stretch;
    if (again) { /* by longjmp, which is the controlling step of everything that runs again */
        if (k->n_decisions > f->twice) k->n_decisions = f->twice;
        f->control = from;
        return push_decision(k, from, k->t->blocks[f->block].ipdom) || (out_of_memory(k), 0);
    }
    f->twice = k->n_decisions;
    return 1;
}

#endif
