/* The tables that the slicer reads, and how it finds its way in a run.  The structs are those of
   whence.program.rows; slice_t is `_Question` in slicer.py, member by member. */

#ifndef WHENCE_SLICER_RUN_H
#define WHENCE_SLICER_RUN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum { PHI = 1, CALL = 2 };                          /* kinds of operations */
enum { READ = 1, COPY = 3, OUTPUT = 5, ALLOC = 6 };  /* kinds of effects */
enum { MAX_ARGUMENTS = 64 };                         /* arguments that are told apart: bits */
enum { DIRECT = 1, LINK = 2 };                       /* flags of activations, of operations */
enum { GUARD = 1, EDGES = 2 };                       /* notes on a stretch */
enum { ENTRY = 0, VALUE = 1, ARGUMENTS = 2 };        /* parts of a step */
#define NONE 0xffffffffu
#define PARAMETER 0x80000000u
#define MIXED 0xE0000000u

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
    const u32 *function_first_op, *function_ops, *function_params, *op_stretch;
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
    /* the criteria */
    const u32 *criteria;
    const u8 *parts;
    const u64 *places, *sizes;    /* the bytes that count, if the step is a copy; size 0: all */
    u64 n_criteria;
    u32 data, with_control, top;  /* top: guards count before this step, if it is after all criteria */
    const u8 *trusted;            /* for each function, or null */
    const u8 *notes;              /* for each stretch GUARD|EDGES, or null */
    /* Classes from n_classes on are private: those of function f are numbered from
       n_classes + private_first[f] on, and an edge holds their offset from there. */
    const u32 *class_of_op;       /* null: no potential dependences */
    const u32 *stretch_edge_start, *stretch_edge, *edge_block, *edge_class_start, *edge_class;
    const u32 *private_first, *edge_private_start, *edge_private;
    u32 *floors;                  /* for each class the least definition of a load met */
    u32 *witness;                 /* for each edge the offset of the class that was open last */
    u64 n_classes;
    /* the answer: one bit for each step */
    u64 *in, *whole, *todo, *hidden;
    /* The sections of the run: n_sections + 1 rows each.  Section n holds the steps after
       section_step[n] up to section_step[n + 1], and the rows from section_...[n] on.  A run that is
       laid out as a whole is one section. */
    const u64 *section_step, *section_instance, *section_link, *section_copied;
    u64 n_sections, n_stretches;
    const u64 *visited;           /* for each section a bit for each stretch: did it run there? */
    u8 *laid;                     /* for each section: is it laid out? */
    u32 *broken;                  /* becomes 1 if a section cannot be laid out */
    int (*lay_out)(u64 section);  /* returns 0, or -1 */
    u64 low, high, end;           /* the walk is in the instances low..high-1; `end` is their last step */
} slice_t;

static int bit(const u64 *bits, u64 i) { return bits[i >> 6] >> (i & 63) & 1; }

/* The first bit from i on, below n, that is `set`; n if there is none. */
static u64 next_bit(const u64 *bits, u64 i, u64 n, int set) {
    while (i < n) {
        u64 rest = (set ? bits[i >> 6] : ~bits[i >> 6]) >> (i & 63);
        if (rest) {
            i += (u64)__builtin_ctzll(rest);
            return i < n ? i : n;
        }
        i = (i | 63) + 1;
    }
    return n;
}

/* --- sections --- */

/* The last of `starts`, which are sorted, that is at most `row`; its number is below n_sections. */
static u64 section_from(const slice_t *s, const u64 *starts, u64 row) {
    u64 low = 0, high = s->n_sections - 1;
    while (low < high) {
        u64 middle = (low + high + 1) / 2;
        if (starts[middle] <= row) low = middle;
        else high = middle - 1;
    }
    return low;
}

static u64 section_of_step(const slice_t *s, u32 step) {
    return section_from(s, s->section_step, step ? step - 1 : 0);
}

/* Lay out section n, unless it is.  If that fails its rows are zero: every use of them is safe. */
static void need_section(const slice_t *s, u64 n) {
    if (s->laid[n]) return;
    s->laid[n] = 1;
    if (s->lay_out(n)) *s->broken = 1;
}

/* Lay out the section of instance i, unless it is. */
static void need(const slice_t *s, u64 i) {
    if (i >= s->low && i < s->high) return;
    need_section(s, section_from(s, s->section_instance, i));
}

/* --- steps and instances --- */

static u64 instance_of(const slice_t *s, u32 step) {
    u64 n = section_of_step(s, step), end = s->section_instance[n + 1];
    need_section(s, n);
    /* instmap holds the instance of step 64 * k, which may lie in the section before. */
    u64 start = s->section_instance[n];
    u64 i = (step & ~63u) > s->section_step[n] ? s->instmap[step >> 6] : start;
    while (i + 1 < end && s->first[i + 1] <= step) i++;
    return i;
}

/* The number of operations that ran in instance i, which lies where the walk is. */
static u32 executed(const slice_t *s, u64 i) {
    return (i + 1 < s->high ? s->first[i + 1] : (u32)s->end + 1) - s->first[i];
}

static u32 links_in(const slice_t *s, u64 i) {
    u32 stretch = s->stretch[i], ops = executed(s, i), count = 0;
    /* An instance that was cut short, but not by the end of the run, has all its links. */
    if (ops >= s->stretch_ops[stretch] || i + 1 < s->n_instances) return s->stretch_links[stretch];
    for (u32 o = 0; o < ops; o++) count += (s->flags[s->stretch_first_op[stretch] + o] & LINK) != 0;
    return count;
}

/* Did code that is not recorded enter the activation? */
static int is_callback(const activation_t *a) { return a->call && !(a->flags & DIRECT); }

/* The activation that the call at the end of instance i entered itself, or 0. */
static u32 entered(const slice_t *s, u64 i, u32 call) {
    if (i + 1 >= s->n_instances) return 0;
    need(s, i + 1);
    u32 a = s->activation[i + 1];
    return s->activations[a].flags & DIRECT && s->activations[a].call == call ? a : 0;
}

/* The instance before i in its activation; i itself if it is the first. */
static u64 previous_instance(const slice_t *s, u64 i) {
    u32 a = s->activation[i];
    if (i == s->activations[a].first) return i;
    u64 before = i - 1;
    need(s, before);
    u32 inner = s->activation[before];
    if (inner != a) {
        while (inner && s->activations[inner].parent != a) inner = s->activations[inner].parent;
        if (!inner) return i;
        before = instance_of(s, s->activations[inner].call);
    }
    return before;
}

/* Is the row a piece of text that was printed into memory? */
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

/* Is the row a copy into memory that its step allocated and returned? */
static int is_duplicate(const slice_t *s, const effect_t *copy) {
    int found = 0;
    for (u64 k = first_row(s, copy->step); k < s->n_effects; k++) {
        const effect_t *e = &s->effects[s->effect_order[k]];
        if (e->step != copy->step) break;
        if (is_piece(e)) return 0;  /* asprintf returns a length */
        found |= e->kind == ALLOC && e->addr == copy->addr;
    }
    return found;
}

#endif
