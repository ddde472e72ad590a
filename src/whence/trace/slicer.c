/* Which steps does a step depend on?  The closure, in one walk back through the run.

   1. Every dependence but two points back in time, so a walk from the last step to the first
      meets a step after all that depend on it: one pass, no worklist.  The two that point
      forward are (a) a call's result, whose definition, the callee's return, is met before the
      call: see push(); (b) what an external call read after it called back: `late`, and the
      walk starts again from there, over what is still to do.
   2. A register defined in another stretch is not looked for.  It is demanded: put among the
      pending registers of its activation, until the walk meets the defining stretch there.
      Since a definition dominates its uses, that is the right instance.  A parameter is
      pending until the activation's first instance, then becomes the argument's definition,
      demanded in the caller.
   3. Activations nest, so the open ones are a stack, and the arena of their pending registers
      is one too: only the top frame demands.
   4. What code that is not recorded does depends on what its callbacks returned: a sorted array
      on each comparison.  A return belongs to the slice if a later step depends on the call; a
      step that ran before it, in an earlier callback, does not count.  `needed` keeps the last
      step that depends on each such call, so that this still holds when the walk starts again.
   5. A load at t with definition d and an untaken side that could have redefined it between:
      since all loads met so far are later than the branch at b where we are, d < b suffices,
      so the least d of each class of loads stands for all of its intervals.
      Of what only its own activation can touch, the least d is kept with the frame.
   6. Who read bytes that a step copied wants these bytes of its COPY rows, not all: they are
      marked in a bitmap of the row, and when the walk meets the copy, the bytes of its source
      that correspond are wanted of those who defined them.  All that want them are later, as in
      1.  The step itself, with its operands and with what else it read, always takes part.  Of
      what was printed into memory, only arguments whose pieces have wanted bytes do.
      What strdup or realloc returned is where the copy is, not what it holds. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum { PHI = 1, CALL = 2 };
enum { READ = 1, COPY = 3, OUTPUT = 5, ALLOC = 6 };
enum { NAMED = 64 };  /* so many arguments can be told apart */
enum { DIRECT = 1, LINK = 2 };
enum { GUARD = 1, EDGES = 2 };
enum { ENTRY = 0, VALUE = 1, ARGUMENTS = 2 };
#define EXPORT __attribute__((visibility("default")))
#define NONE 0xffffffffu
#define PARAMETER 0x80000000u
#define MIXED 0xC0000000u

typedef struct { u32 function, parent, call, first, last, ret, flags, depth; } activation_t;
typedef struct { u32 offset, length, step; } run_t;
typedef struct { u64 addr; u32 step, size; } copied_t;
typedef struct {
    u32 step; u8 kind, pad; uint16_t pad2; u32 source; int32_t arg;
    u64 addr, addr2, len, offset; u32 first_run, n_runs;
} effect_t;

typedef struct {
    /* the code */
    const u32 *use_start, *use_def, *use_block;
    const u8 *kind, *flags;
    const u32 *link_rank;
    const u32 *stretch_first_op, *stretch_ops, *stretch_links, *stretch_block;
    const u32 *function_first_op, *function_ops, *function_params;
    /* the run */
    const u32 *stretch, *first, *activation, *control, *links;
    const u64 *linkbase;
    const u32 *instmap, *mixed;
    const run_t *runs;
    const activation_t *activations;
    const effect_t *effects;
    const u32 *effect_order;
    const copied_t *copied;
    u64 n_instances, n_steps, n_links, n_mixed, n_runs, n_activations, n_effects, n_copied;
    /* the question */
    const u32 *criteria;
    const u8 *parts;
    const u64 *places, *sizes;    /* of the bytes meant, if the step is a copy; size 0: all */
    u64 n_criteria;
    u32 data, with_control, top;  /* top: where guards begin, if after all criteria */
    const u8 *trusted;            /* for each function, or null */
    const u8 *notes;              /* for each stretch GUARD|EDGES, or null */
    /* Classes from n_classes on are private: those of function f are numbered from
       n_classes + private_first[f] on, and an edge has them by their place there. */
    const u32 *class_of_op;       /* null: no potential dependences */
    const u32 *stretch_edge_start, *stretch_edge, *edge_block, *edge_class_start, *edge_class;
    const u32 *private_first, *edge_private_start, *edge_private;
    u32 *floors;                  /* for each class the least definition of a load met */
    u32 *witness;                 /* for each edge the place of a class that was open last */
    u64 n_classes;
    /* the answer: bits, one for each step */
    u64 *in, *whole, *todo, *hidden;
} slice_t;

typedef struct {
    u32 activation, trust;  /* trust: the outermost trusted activation around, or 0 */
    u32 pending;            /* how many bits are set */
    u64 at, words;          /* its bits in the arena; words = 0: none yet */
    u64 floors, classes;    /* its floors there, one for each private class; classes = 0: none yet */
    u64 below;              /* how much of the arena belongs to the frames around */
} frame_t;

typedef struct {
    u64 *wanted, *fresh;  /* bits, one for each byte of the row; fresh: not yet followed */
    int all;              /* followed: every byte */
} row_t;

typedef struct {
    const slice_t *s;
    u64 *copies;  /* bits: steps that have rows with bytes to want */
    u64 *asked;   /* bits: steps of which bytes are wanted; `in`: those that are marked */
    row_t *rows;  /* by place in effect_order */
    u64 copied_at, effect_at;  /* how many rows of `copied`, `effects` are not after the walk */
    u64 *calls_back;  /* bits: calls of code that is not recorded and that called back; or null */
    u32 *needed;      /* for each of these calls the last step met that depends on it */
    u32 now;   /* where the walk is: a mark after it is late */
    u32 late;  /* the last of these */
    u32 greatest;
    frame_t *frames;
    u64 depth, frame_room;
    u64 *arena;
    u64 used, arena_room;
    u32 *spare;
    u64 spare_room;
    int failed;  /* out of memory */
} walk_t;

static int bit(const u64 *bits, u64 i) { return bits[i >> 6] >> (i & 63) & 1; }

static void *grown(walk_t *w, void *old, u64 *room, u64 needed, size_t size) {
    if (needed <= *room) return old;
    u64 more = needed * 2 + 64;
    void *fresh = realloc(old, more * size);
    if (!fresh) { w->failed = 1; return old; }
    *room = more;
    return fresh;
}

/* --- the run --- */

static u64 instance_of(const slice_t *s, u32 step) {
    u64 i = s->instmap[step >> 6];
    while (i + 1 < s->n_instances && s->first[i + 1] <= step) i++;
    return i;
}

static u32 executed(const slice_t *s, u64 i) {
    return (i + 1 < s->n_instances ? s->first[i + 1] : (u32)s->n_steps + 1) - s->first[i];
}

static u32 links_in(const slice_t *s, u64 i) {
    u32 stretch = s->stretch[i], ops = executed(s, i), count = 0;
    /* One that was broken off in the middle of the run has its links, only none of them is used. */
    if (ops >= s->stretch_ops[stretch] || i + 1 < s->n_instances) return s->stretch_links[stretch];
    for (u32 o = 0; o < ops; o++) count += (s->flags[s->stretch_first_op[stretch] + o] & LINK) != 0;
    return count;
}

static u64 links_before(const slice_t *s, u64 i) {
    u64 count = s->linkbase[i >> 6];
    for (u64 j = i & ~63ull; j < i; j++) count += links_in(s, j);
    return count;
}

/* Was it entered from code that is not recorded? */
static int is_callback(const activation_t *a) { return a->call && !(a->flags & DIRECT); }

/* The activation that the call ending instance i entered itself, or 0. */
static u32 entered(const slice_t *s, u64 i, u32 call) {
    if (i + 1 >= s->n_instances) return 0;
    u32 a = s->activation[i + 1];
    return s->activations[a].flags & DIRECT && s->activations[a].call == call ? a : 0;
}

/* The instance before i in its activation; i itself if it is the first. */
static u64 came_from(const slice_t *s, u64 i) {
    u32 a = s->activation[i];
    if (i == s->activations[a].first) return i;
    u64 before = i - 1;
    u32 inner = s->activation[before];
    if (inner != a) {
        while (inner && s->activations[inner].parent != a) inner = s->activations[inner].parent;
        if (!inner) return i;
        before = instance_of(s, s->activations[inner].call);
    }
    return before;
}

/* --- marks and demands --- */

/* `by` depends on `step`. */
static void note_need(walk_t *w, u32 step, u32 by) {
    if (w->calls_back && bit(w->calls_back, step) && by > w->needed[step]) w->needed[step] = by;
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

/* The first bit from i on, below n, that is `set`; n if there is none. */
static u64 next_bit(const u64 *bits, u64 i, u64 n, int set) {
    while (i < n) {
        u64 here = (set ? bits[i >> 6] : ~bits[i >> 6]) >> (i & 63);
        if (here) {
            i += (u64)__builtin_ctzll(here);
            return i < n ? i : n;
        }
        i = (i | 63) + 1;
    }
    return n;
}

/* Want the bytes from..to-1 of a row; are some of them new? */
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

static int is_piece(const effect_t *e) { return e->kind == OUTPUT && e->source == NONE; }

/* The place in effect_order of the first row of `step`. */
static u64 first_row(const slice_t *s, u32 step) {
    u64 low = 0, high = s->n_effects;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (s->effects[s->effect_order[middle]].step < step) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The bytes at `address`, which `step` wrote: of a copy only these. */
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

/* Who defined the bytes of a row, which were read at `address`. */
static void mark_runs(walk_t *w, u64 first, u64 n, u64 address) {
    for (u64 r = first; r < first + n && r < w->s->n_runs; r++) {
        const run_t *run = &w->s->runs[r];
        mark_bytes(w, run->step, address + run->offset, run->length);
    }
}

/* The same for the bytes of a COPY row that are wanted.  These may be bytes that the step itself
   wrote before: then bytes of this very row can become wanted meanwhile, and stay so. */
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

/* Room for the top frame; it is returned when the frame is popped. */
static u64 taken(walk_t *w, u64 words, int byte) {
    u64 at = w->used;
    w->arena = grown(w, w->arena, &w->arena_room, at + words, sizeof *w->arena);
    if (w->failed) return 0;
    memset(w->arena + at, byte, words * sizeof *w->arena);
    w->used += words;
    return at;
}

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

/* --- frames --- */

/* Is the result of the call that entered `act`, from the activation of the frame, demanded? */
static int awaited(const walk_t *w, const frame_t *f, const activation_t *act) {
    const slice_t *s = w->s;
    if (!f->pending || !act->call) return 0;
    u32 caller = s->stretch[act->flags & DIRECT ? act->first - 1 : instance_of(s, act->call)];
    u32 op = s->stretch_first_op[caller] + s->stretch_ops[caller] - 1;
    u32 function = s->activations[f->activation].function;
    return bit(w->arena + f->at, op - s->function_first_op[function]);
}

static void push(walk_t *w, u32 a) {
    const slice_t *s = w->s;
    const activation_t *act = &s->activations[a];
    frame_t *parent = w->depth ? &w->frames[w->depth - 1] : NULL;
    u32 trust = parent ? parent->trust : 0;
    if (!trust && s->trusted && s->trusted[act->function]) trust = a;
    if (parent && act->ret && awaited(w, parent, act)) mark(w, act->ret, 0);
    else if (s->data && is_callback(act) && act->ret == w->now && w->needed[act->call] > act->ret)
        mark(w, act->ret, 0);
    w->frames = grown(w, w->frames, &w->frame_room, w->depth + 1, sizeof *w->frames);
    if (w->failed) return;
    w->frames[w->depth++] = (frame_t){.activation = a, .trust = trust, .below = w->used};
}

static void pop(walk_t *w) {
    const slice_t *s = w->s;
    frame_t f = w->frames[--w->depth];
    const activation_t *act = &s->activations[f.activation];
    u64 n = 0;
    if (f.pending) {
        u32 ops = s->function_ops[act->function], params = s->function_params[act->function];
        w->spare = grown(w, w->spare, &w->spare_room, params, sizeof *w->spare);
        if (w->failed) return;
        for (u32 k = 0; k < params; k++)
            if (bit(w->arena + f.at, (u64)ops + k)) w->spare[n++] = k;
    }
    w->used = f.below;
    for (u64 j = 0; j < n; j++) {
        mark_for(w, s->first[act->first], act->call, 0);  /* a step of this activation needs it */
        if (!(act->flags & DIRECT) || !act->first) continue;
        u32 caller = s->stretch[act->first - 1];
        u32 op = s->stretch_first_op[caller] + s->stretch_ops[caller] - 1;
        u32 args = s->use_start[op + 1] - s->use_start[op];
        if (w->spare[j] + 1 < args) demand(w, s->use_def[s->use_start[op] + w->spare[j]]);
        else mark(w, act->call, 1);
    }
}

/* Make the activation of instance i the top frame. */
static void move_to(walk_t *w, u64 i) {
    const slice_t *s = w->s;
    u32 a = s->activation[i];
    while (w->depth && s->activations[w->frames[w->depth - 1].activation].first > i) pop(w);
    u32 top = w->depth ? w->frames[w->depth - 1].activation : 0;
    u64 n = 0;
    for (; a && a != top; a = s->activations[a].parent) {
        w->spare = grown(w, w->spare, &w->spare_room, n + 1, sizeof *w->spare);
        if (w->failed) return;
        w->spare[n++] = a;
    }
    while (n && !w->failed) push(w, w->spare[--n]);
}

/* --- one instance --- */

/* The pending registers that instance i defines. */
static void settle(walk_t *w, u64 i, u32 ops) {
    const slice_t *s = w->s;
    frame_t *f = &w->frames[w->depth - 1];
    u32 first_op = s->stretch_first_op[s->stretch[i]];
    u64 from = first_op - s->function_first_op[s->activations[f->activation].function];
    for (u64 b = from; b < from + ops && f->pending;) {
        u64 *word = &w->arena[f->at + (b >> 6)];
        u64 here = *word >> (b & 63);
        if (!here) { b = (b | 63) + 1; continue; }
        b += (u64)__builtin_ctzll(here);
        if (b >= from + ops) break;
        *word &= ~(1ull << (b & 63));
        f->pending--;
        mark(w, s->first[i] + (u32)(b - from), 0);
        b++;
    }
}

static int open_edge(const slice_t *s, u32 e, u32 branch) {
    u32 from = s->edge_class_start[e], to = s->edge_class_start[e + 1];
    if (from == to) return 0;
    if (s->floors[s->edge_class[from + s->witness[e]]] < branch) return 1;
    for (u32 k = from; k < to; k++)
        if (s->floors[s->edge_class[k]] < branch) { s->witness[e] = k - from; return 1; }
    return 0;
}

/* The same for loads of this activation that met what only it can touch. */
static int open_private(const walk_t *w, u32 e, u32 branch) {
    const slice_t *s = w->s;
    const frame_t *f = &w->frames[w->depth - 1];
    if (!f->classes) return 0;
    const u32 *floors = (const u32 *)(w->arena + f->floors);
    for (u32 k = s->edge_private_start[e]; k < s->edge_private_start[e + 1]; k++)
        if (floors[s->edge_private[k]] < branch) return 1;
    return 0;
}

static void lower_floor(walk_t *w, u32 class, u32 least) {
    const slice_t *s = w->s;
    if (class == NONE) return;
    u32 *floor = &s->floors[class];
    if (class >= s->n_classes) {
        frame_t *f = &w->frames[w->depth - 1];
        const u32 *first = &s->private_first[s->activations[f->activation].function];
        if (!f->classes) {
            f->floors = taken(w, (first[1] - first[0] + 1) / 2, 0xff);
            if (w->failed) return;
            f->classes = first[1] - first[0];
        }
        floor = (u32 *)(w->arena + f->floors) + (class - s->n_classes - first[0]);
    }
    if (least < *floor) *floor = least;
}

/* The branch that ends instance i, if it is a guard or could have changed a load met. */
static void consider_branch(walk_t *w, u64 i, u32 branch) {
    const slice_t *s = w->s;
    u32 stretch = s->stretch[i];
    if (s->notes[stretch] & GUARD && branch < w->greatest) mark(w, branch, 0);
    if (!(s->notes[stretch] & EDGES) || bit(s->in, branch)) return;
    u32 next = i + 1 < s->n_instances ? s->stretch_block[s->stretch[i + 1]] : NONE;
    for (u32 k = s->stretch_edge_start[stretch]; k < s->stretch_edge_start[stretch + 1]; k++) {
        u32 e = s->stretch_edge[k];
        if (s->edge_block[e] == next) continue;
        if (open_edge(s, e, branch) || open_private(w, e, branch)) { mark(w, branch, 0); return; }
    }
}

static void follow_link(walk_t *w, u32 step, u32 op, u64 at) {
    const slice_t *s = w->s;
    if (at >= s->n_links) return;
    u32 link = s->links[at], least = link;
    /* The rows of a copy of frame-local bytes say the same as its link, byte by byte. */
    int data = s->data && !bit(w->copies, step);
    while (w->copied_at && s->copied[w->copied_at - 1].step > step) w->copied_at--;
    const copied_t *row = w->copied_at ? &s->copied[w->copied_at - 1] : NULL;
    if (row && row->step != step) row = NULL;
    if (link < MIXED) {
        if (data && row) mark_bytes(w, link, row->addr, row->size);
        else if (data) mark(w, link, 1);
    } else {
        u64 m = link - MIXED;
        if (m >= s->n_mixed) return;
        u64 first = s->mixed[2 * m], n = s->mixed[2 * m + 1];
        if (data && row) mark_runs(w, first, n, row->addr);
        for (u64 r = first; data && !row && r < first + n && r < s->n_runs; r++)
            mark(w, s->runs[r].step, 1);
        for (u64 r = first; r < first + n && r < s->n_runs; r++)
            if (s->runs[r].step < least) least = s->runs[r].step;
    }
    if (s->class_of_op) lower_floor(w, s->class_of_op[op], least);
}

/* How much of what a step copied is meant? */
enum { WANTED, RESULT, EVERYTHING };

/* Is the row a copy into memory that its step allocated to return it? */
static int is_duplicate(const slice_t *s, const effect_t *copy) {
    int found = 0;
    for (u64 k = first_row(s, copy->step); k < s->n_effects; k++) {
        const effect_t *e = &s->effects[s->effect_order[k]];
        if (e->step != copy->step) break;
        if (is_piece(e)) return 0;  /* asprintf returns how much it printed */
        found |= e->kind == ALLOC && e->addr == copy->addr;
    }
    return found;
}

static void follow_effects(walk_t *w, u32 step, int meant) {
    const slice_t *s = w->s;
    while (w->effect_at && s->effects[s->effect_order[w->effect_at - 1]].step > step) w->effect_at--;
    for (u64 k = w->effect_at; k; k--) {
        const effect_t *e = &s->effects[s->effect_order[k - 1]];
        row_t *row = &w->rows[k - 1];
        if (e->step != step) break;
        if (e->kind == READ || e->kind == OUTPUT) mark_runs(w, e->first_run, e->n_runs, e->addr);
        if (e->kind != COPY || row->all) continue;
        row->all = meant == EVERYTHING || (meant == RESULT && !is_duplicate(s, e));
        if (row->all) mark_runs(w, e->first_run, e->n_runs, e->addr2);
        else mark_wanted(w, e, row);
    }
}

/* The arguments that only pieces without wanted bytes were printed from, as bits. */
static u64 left_out(const walk_t *w, u32 step) {
    const slice_t *s = w->s;
    u64 named = 0, wanted = 0;
    for (u64 k = first_row(s, step); k < s->n_effects; k++) {
        const effect_t *e = &s->effects[s->effect_order[k]];
        if (e->step != step) break;
        if (!is_piece(e) || e->arg < 0 || e->arg >= NAMED) continue;
        named |= 1ull << e->arg;
        if (w->rows[k].wanted) wanted |= 1ull << e->arg;
    }
    return named & ~wanted;
}

static void follow_uses(walk_t *w, u64 i, u32 op, u32 from, u32 to, u64 but) {
    const slice_t *s = w->s;
    u32 first_op = s->stretch_first_op[s->stretch[i]];
    for (u32 k = from; k < to; k++) {
        u32 use = s->use_def[k];
        if (k - from < NAMED && but >> (k - from) & 1) continue;
        if (use >= first_op && use < op) mark(w, s->first[i] + (use - first_op), 0);
        else demand(w, use);
    }
}

/* Which value a phi takes depends on the way by which control came, too: it always runs, so
   what decides that it runs does not say that. */
static void follow_phi(walk_t *w, u64 i, u32 op) {
    const slice_t *s = w->s;
    u64 before = came_from(s, i);
    if (before == i) return;
    if (s->with_control) mark(w, s->first[before] + executed(s, before) - 1, 0);
    if (!s->data) return;
    u32 block = s->stretch_block[s->stretch[before]];
    for (u32 k = s->use_start[op]; k < s->use_start[op + 1]; k++)
        if (s->use_block[k] == block) demand(w, s->use_def[k]);
}

static void follow(walk_t *w, u64 i, u32 step, u64 link_at) {
    const slice_t *s = w->s;
    u32 op = s->stretch_first_op[s->stretch[i]] + (step - s->first[i]);
    u32 from = s->use_start[op], to = s->use_start[op + 1], trust = w->frames[w->depth - 1].trust;
    if (trust) {
        s->hidden[step >> 6] |= 1ull << (step & 63);
        mark(w, s->activations[trust].call, 1);
    }
    if (s->with_control) mark(w, s->control[i], 0);
    if (s->flags[op] & LINK) follow_link(w, step, op, link_at + s->link_rank[op]);
    if (s->kind[op] == PHI) { follow_phi(w, i, op); return; }
    if (!s->data) return;
    int into = s->kind[op] == CALL && entered(s, i, step);
    if (into && !bit(s->whole, step) && !bit(w->asked, step)) {
        if (to > from) follow_uses(w, i, op, to - 1, to, 0);
        return;
    }
    int meant = bit(s->whole, step) ? EVERYTHING : !into && bit(s->in, step) ? RESULT : WANTED;
    u64 but = meant == WANTED && bit(w->copies, step) ? left_out(w, step) : 0;
    follow_uses(w, i, op, from, to, but);
    follow_effects(w, step, meant);
}

/* The steps to do in instance i, the last one first; following one may add earlier ones. */
static void visit(walk_t *w, u64 i, u32 ops, u64 link_at) {
    const slice_t *s = w->s;
    u32 low = s->first[i], high = low + ops;  /* still to do: low <= step < high */
    while (high > low) {
        u64 word = (high - 1) >> 6;
        u64 here = s->todo[word] & (~0ull >> (63 - ((high - 1) & 63)));
        if (!here) { high = (u32)(word << 6); continue; }
        u32 step = (u32)(word << 6) + 63 - (u32)__builtin_clzll(here);
        if (step < low) return;
        s->todo[word] &= ~(1ull << (step & 63));
        w->now = step;
        follow(w, i, step, link_at);
        high = bit(s->todo, step) ? step + 1 : step;  /* again, if it read what it wrote itself */
    }
}

static void pass(walk_t *w, u32 top) {
    const slice_t *s = w->s;
    u64 i = instance_of(s, top);
    u64 link_at = links_before(s, i) + links_in(s, i);
    w->effect_at = s->n_effects;
    w->copied_at = s->n_copied;
    for (u64 c = 0; c < s->n_classes; c++) s->floors[c] = NONE;
    for (i++; i-- > 0 && !w->failed;) {
        u32 ops = executed(s, i);
        link_at -= links_in(s, i);
        w->now = s->first[i] + ops - 1;
        move_to(w, i);
        if (w->failed || !w->depth) continue;
        if (w->frames[w->depth - 1].pending) settle(w, i, ops);
        if (s->notes && s->notes[s->stretch[i]] && ops == s->stretch_ops[s->stretch[i]])
            consider_branch(w, i, w->now);
        visit(w, i, ops, link_at);
    }
    while (w->depth && !w->failed) pop(w);
    w->used = 0;
}

/* What was returned before `end` to the code that the last step of instance i called: see 4. */
static void mark_callbacks(walk_t *w, u64 i, u32 call, u32 end) {
    const slice_t *s = w->s;
    while (++i < s->n_instances) {
        const activation_t *act = &s->activations[s->activation[i]];
        if (act->call != call || !is_callback(act)) return;
        if (act->ret < end) mark(w, act->ret, 0);
        i = act->last;
    }
}

/* --- the interface --- */

/* Prepare `calls_back` and `needed`; a run without callbacks needs neither. */
static void start_needs(walk_t *w) {
    const slice_t *s = w->s;
    for (u64 a = 1; a < s->n_activations && !w->failed; a++) {
        const activation_t *act = &s->activations[a];
        if (!is_callback(act) || act->call > s->n_steps) continue;
        if (!w->calls_back) {
            w->calls_back = calloc(s->n_steps / 64 + 1, sizeof *w->calls_back);
            w->needed = calloc(s->n_steps + 1, sizeof *w->needed);
            w->failed = !w->calls_back || !w->needed;
        }
        if (!w->failed) w->calls_back[act->call >> 6] |= 1ull << (act->call & 63);
    }
}

static void start(walk_t *w) {
    const slice_t *s = w->s;
    u64 words = s->n_steps / 64 + 1;
    w->copies = calloc(words, sizeof *w->copies);
    w->asked = calloc(words, sizeof *w->asked);
    w->rows = calloc(s->n_effects + 1, sizeof *w->rows);
    w->failed = !w->copies || !w->asked || !w->rows;
    for (u64 e = 0; e < s->n_effects && !w->failed; e++)
        if ((s->effects[e].kind == COPY || is_piece(&s->effects[e])) && s->effects[e].step <= s->n_steps)
            w->copies[s->effects[e].step >> 6] |= 1ull << (s->effects[e].step & 63);
    if (!w->failed) start_needs(w);
}

static void finish(walk_t *w) {
    for (u64 k = 0; w->asked && k < w->s->n_steps / 64 + 1; k++) w->s->in[k] |= w->asked[k];
    for (u64 k = 0; w->rows && k < w->s->n_effects; k++) free(w->rows[k].wanted);
    free(w->rows);
    free(w->copies);
    free(w->asked);
    free(w->calls_back);
    free(w->needed);
    free(w->frames);
    free(w->arena);
    free(w->spare);
}

/* Sets the bits of the slice; the result is in & ~hidden.  Returns 0, or -1 without memory. */
EXPORT int wh_slice(const slice_t *s) {
    walk_t w = {.s = s};
    start(&w);
    for (u64 c = 0; c < s->n_criteria && !w.failed; c++) {
        u32 step = s->criteria[c];
        if (s->sizes[c]) mark_bytes(&w, step, s->places[c], s->sizes[c]);
        else mark(&w, step, s->parts[c] == ARGUMENTS);
        if (!s->data) continue;
        int value = !s->sizes[c] && s->parts[c] == VALUE;
        u64 i = instance_of(s, step);
        u32 inner = step - s->first[i] + 1 == executed(s, i) ? entered(s, i, step) : 0;
        if (!inner) mark_callbacks(&w, i, step, value ? NONE : s->top);
        else if (value) mark(&w, s->activations[inner].ret, 0);
    }
    if (s->top > w.late) w.late = s->top;
    while (w.late && !w.failed) {
        u32 top = w.late;
        w.late = 0;
        if (top > w.greatest) w.greatest = top;
        pass(&w, top);
    }
    finish(&w);
    return w.failed ? -1 : 0;
}

/* The numbers of the bits of a & ~b, in order, into out (null: only counted). */
EXPORT u64 wh_members(const u64 *a, const u64 *b, u64 words, u32 *out) {
    u64 n = 0;
    for (u64 k = 0; k < words; k++) {
        u64 here = a[k] & ~b[k];
        if (!out) { n += (u64)__builtin_popcountll(here); continue; }
        for (; here; here &= here - 1) out[n++] = (u32)(k << 6) + (u32)__builtin_ctzll(here);
    }
    return n;
}

/* For each op, how many of some steps (in order) executed it, and the last that did. */
EXPORT void wh_ops(const u32 *steps, u64 n, const u32 *first, const u32 *stretch, u64 n_instances,
                   const u32 *first_op, int64_t *counts, u32 *last) {
    u64 i = 0;
    for (u64 k = 0; k < n; k++) {
        while (i + 1 < n_instances && first[i + 1] <= steps[k]) i++;
        u32 op = first_op[stretch[i]] + steps[k] - first[i];
        counts[op]++;
        last[op] = steps[k];
    }
}
