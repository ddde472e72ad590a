/* The state of the slicer's walk, and how it records what the walk still has to meet: steps that
   are marked, bytes of copies that are wanted, registers that are pending. */

#ifndef WHENCE_SLICER_MARKS_H
#define WHENCE_SLICER_MARKS_H

#include "slicer_run.h"

/* An open activation. */
typedef struct {
    u32 activation, trust;  /* trust: the outermost trusted activation around, or 0 */
    u32 pending;            /* the number of pending registers */
    u64 at, words;          /* where their bits are in the arena; words = 0: none yet */
    u64 floors, classes;    /* where the floors of private classes are; classes = 0: none yet */
    u64 below;              /* how much of the arena belongs to the frames around */
} frame_t;

/* The wanted bytes of a COPY row, or of a piece of printed text. */
typedef struct {
    u64 *wanted, *fresh;  /* one bit for each byte of the row; fresh: not yet followed */
    int all;              /* every byte was followed */
} row_t;

typedef struct {
    slice_t *s;
    u64 *copies;      /* bits: steps that have rows with bytes to want */
    u64 *asked;       /* bits: steps with wanted bytes; `in` has the marked steps */
    row_t *rows;      /* by place in effect_order */
    u64 *calls_back;  /* bits: calls of unrecorded code that called back; null: there are none */
    u32 *needed;      /* for each of these calls the last step met that depends on it */
    u32 *last_callback;  /* for each of these calls the last return of a callback */
    u8 *wanted;       /* for each section: does it hold the return of a callback that may count? */
    u64 copied_at, effect_at;  /* how many rows of `copied`, `effects` the walk has still to meet */
    u32 now;          /* where the walk is: a mark after it is late */
    u32 late;         /* the last late mark, or 0 */
    u32 greatest;     /* where the walk started first */
    frame_t *frames;
    u64 depth, frame_room;
    u64 *arena;
    u64 used, arena_room;
    u32 *spare;
    u64 spare_room;
    int failed;       /* out of memory */
} walk_t;

static void *grown(walk_t *w, void *old, u64 *room, u64 needed, size_t size) {
    if (needed <= *room) return old;
    u64 more = needed * 2 + 64;
    void *fresh = realloc(old, more * size);
    if (!fresh) { w->failed = 1; return old; }
    *room = more;
    return fresh;
}

/* --- steps --- */

/* Note that step `by` depends on `step`. */
static void note_need(walk_t *w, u32 step, u32 by) {
    if (!w->calls_back || !bit(w->calls_back, step) || by <= w->needed[step]) return;
    if (!w->needed[step]) {
        u64 last = section_of_step(w->s, w->last_callback[step]);
        for (u64 n = section_of_step(w->s, step); n <= last; n++) w->wanted[n] = 1;
    }
    w->needed[step] = by;
}

/* Put `step` into the slice, because `by` depends on it. */
static void mark_for(walk_t *w, u32 by, u32 step, int whole) {
    const slice_t *s = w->s;
    if (!step || step > s->n_steps) return;
    note_need(w, step, by);
    u64 word = step >> 6, one = 1ull << (step & 63);
    int fresh = !(s->in[word] & one) || (whole && !(s->whole[word] & one));
    if (!fresh) return;
    s->in[word] |= one;
    if (whole) s->whole[word] |= one;
    s->todo[word] |= one;
    if (step > w->now && step > w->late) w->late = step;
}

static void mark(walk_t *w, u32 step, int whole) { mark_for(w, w->now, step, whole); }

/* --- bytes of copies --- */

/* Want bytes from..to-1 of a row.  Return whether one of them is new. */
static int want(walk_t *w, row_t *row, u64 size, u64 from, u64 to) {
    if (row->all || from >= to) return 0;
    if (!row->wanted) {
        u64 words = (size + 63) >> 6;
        row->wanted = calloc(2 * words, sizeof *row->wanted);
        if (!row->wanted) { w->failed = 1; return 0; }
        row->fresh = row->wanted + words;
    }
    int is_new = 0;
    for (u64 i = from; i < to;) {
        u64 end = (i | 63) + 1 < to ? (i | 63) + 1 : to;
        u64 bits = (~0ull >> (64 - (end - i))) << (i & 63) & ~row->wanted[i >> 6];
        row->wanted[i >> 6] |= bits;
        row->fresh[i >> 6] |= bits;
        is_new |= bits != 0;
        i = end;
    }
    return is_new;
}

/* Mark the step that wrote the bytes at `address`; if it copied them, want only these bytes. */
static void mark_bytes(walk_t *w, u32 step, u64 address, u64 size) {
    const slice_t *s = w->s;
    if (!step || step > s->n_steps) return;
    if (!bit(w->copies, step)) { mark(w, step, 1); return; }
    note_need(w, step, w->now);
    u64 word = step >> 6, one = 1ull << (step & 63);
    int fresh = !(w->asked[word] & one);
    w->asked[word] |= one;
    for (u64 k = first_row(s, step); k < s->n_effects; k++) {
        const effect_t *e = &s->effects[s->effect_order[k]];
        if (e->step != step) break;
        if (e->kind != COPY && !is_piece(e)) continue;
        u64 from = address > e->addr ? address - e->addr : 0;
        u64 to = address + size > e->addr ? address + size - e->addr : 0;
        fresh |= want(w, &w->rows[k], e->len, from, to < e->len ? to : e->len);
    }
    if (!fresh) return;
    s->todo[word] |= one;
    if (step > w->now && step > w->late) w->late = step;
}

/* Mark who wrote the bytes of a row, which were read at `address`. */
static void mark_runs(walk_t *w, u64 first, u64 n, u64 address) {
    for (u64 r = first; r < first + n && r < w->s->n_runs; r++) {
        const run_t *run = &w->s->runs[r];
        mark_bytes(w, run->step, address + run->offset, run->length);
    }
}

/* Mark who wrote the wanted bytes of a COPY row.  The step itself may have written them before;
   then more bytes of this row may become wanted meanwhile, and stay fresh. */
static void mark_wanted(walk_t *w, const effect_t *e, row_t *row) {
    const slice_t *s = w->s;
    if (!row->wanted) return;
    u64 r = e->first_run, end = e->first_run + e->n_runs;
    if (end > s->n_runs) end = s->n_runs;
    for (u64 i = next_bit(row->fresh, 0, e->len, 1); i < e->len; i = next_bit(row->fresh, i, e->len, 1)) {
        u64 to = next_bit(row->fresh, i, e->len, 0), from = to;
        while (r < end && s->runs[r].offset + (u64)s->runs[r].length <= i) r++;
        if (r < end) {
            u64 start = s->runs[r].offset, stop = start + s->runs[r].length;
            from = start < i ? i : start < to ? start : to;
            if (stop < to) to = stop;
        }
        for (; i < to; i++) row->fresh[i >> 6] &= ~(1ull << (i & 63));
        if (from < to) mark_bytes(w, s->runs[r].step, e->addr2 + from, to - from);
    }
}

/* The arguments, as bits, from which only pieces without wanted bytes were printed. */
static u64 unwanted_arguments(const walk_t *w, u32 step) {
    const slice_t *s = w->s;
    u64 named = 0, wanted = 0;
    for (u64 k = first_row(s, step); k < s->n_effects; k++) {
        const effect_t *e = &s->effects[s->effect_order[k]];
        if (e->step != step) break;
        if (!is_piece(e) || e->arg < 0 || e->arg >= MAX_ARGUMENTS) continue;
        named |= 1ull << e->arg;
        if (w->rows[k].wanted) wanted |= 1ull << e->arg;
    }
    return named & ~wanted;
}

/* --- registers --- */

/* Take room in the arena for the top frame, and fill it with `byte`; pop() gives it back. */
static u64 taken(walk_t *w, u64 words, int byte) {
    u64 at = w->used;
    w->arena = grown(w, w->arena, &w->arena_room, at + words, sizeof *w->arena);
    if (w->failed) return 0;
    memset(w->arena + at, byte, words * sizeof *w->arena);
    w->used += words;
    return at;
}

/* Add a register or parameter to the pending ones of the top frame. */
static void demand(walk_t *w, u32 use) {
    const slice_t *s = w->s;
    if (use == NONE || !w->depth) return;
    frame_t *f = &w->frames[w->depth - 1];
    u32 function = s->activations[f->activation].function, ops = s->function_ops[function];
    u64 size = (u64)ops + s->function_params[function];
    u64 b = use & PARAMETER ? (u64)ops + (use & ~PARAMETER) : (u64)use - s->function_first_op[function];
    if (b >= size) return;
    if (!f->words) {
        u64 words = (size + 63) >> 6;
        f->at = taken(w, words, 0);
        if (w->failed) return;
        f->words = words;
    }
    u64 *word = &w->arena[f->at + (b >> 6)], one = 1ull << (b & 63);
    f->pending += !(*word & one);
    *word |= one;
}

/* Mark the pending registers that instance i defines. */
static void settle(walk_t *w, u64 i, u32 ops) {
    const slice_t *s = w->s;
    frame_t *f = &w->frames[w->depth - 1];
    u32 first_op = s->stretch_first_op[s->stretch[i]];
    u64 from = first_op - s->function_first_op[s->activations[f->activation].function];
    for (u64 b = from; b < from + ops && f->pending;) {
        u64 *word = &w->arena[f->at + (b >> 6)];
        u64 rest = *word >> (b & 63);
        if (!rest) { b = (b | 63) + 1; continue; }
        b += (u64)__builtin_ctzll(rest);
        if (b >= from + ops) break;
        *word &= ~(1ull << (b & 63));
        f->pending--;
        mark(w, s->first[i] + (u32)(b - from), 0);
        b++;
    }
}

#endif
