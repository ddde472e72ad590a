/* Which steps did a thread execute, and what is known about each of them?

   An instance is one execution of a stretch, and has a step for each operation of it.  Columns with
   entries for some steps, in their order, are found by static facts: how many entries a stretch has,
   and where its operations have theirs.  So they need no index but one for every 64th instance. */

#ifndef WHENCE_REPLAY_STEPS_H
#define WHENCE_REPLAY_STEPS_H

#include "replay_program.h"

enum { MISSING = 0 };           /* the value of a step that the log does not contain */
enum { NEAR = 64 };             /* instances for one entry of an index */
static const u8 NO_RANK = 0xFF; /* of an operation without an own entry in `sources` */

typedef struct {
    const program_t *program;
    column_t stretch, first, activation, control;  /* for each instance */
    column_t values;                               /* for each step; 0 is no step */
    column_t operands;           /* for each use of each step: the last step of the used operation */
    column_t sources;            /* for each step that often copies a value: the step that had it */
    table_t other_sources;       /* step -> source, for the other steps */
    column_t jumps, jumps_from;  /* instances that do not follow the instance before them, and the */
                                 /* one that they follow in their activation, + 1; 0: none */
    column_t operands_before, sources_before;  /* for every 64th instance */
    u32 *stretch_operands, *stretch_sources;   /* how many each stretch has */
    u8 *source_rank;             /* for each operation: its place among those of its stretch */
    u32 last_operands, last_sources;           /* before the last instance */
} steps_t;

/* Does an operation often copy the value of another step? */
static int is_copying(u8 opcode) {
    switch (opcode) {
    case O_LOAD: case O_ATTR: case O_ITEM: case O_PHI: case O_NEXT: case O_PARAM: return 1;
    default: return 0;
    }
}

static void begin_steps(steps_t *s, const program_t *p) {
    s->program = p;
    s->stretch_operands = zeroed(p->n_stretches, sizeof(u32));
    s->stretch_sources = zeroed(p->n_stretches, sizeof(u32));
    s->source_rank = zeroed(p->n_ops, sizeof(u8));
    memset(s->source_rank, NO_RANK, p->n_ops);
    for (u64 stretch = 0; stretch < p->n_stretches; stretch++) {
        u32 first = p->stretch_first[stretch], end = first + p->stretch_ops[stretch];
        s->stretch_operands[stretch] = p->use_start[end] - p->use_start[first];
        for (u32 op = first; op < end; op++)
            if (is_copying(p->op_code[op]) && s->stretch_sources[stretch] < NO_RANK)
                s->source_rank[op] = (u8)s->stretch_sources[stretch]++;
    }
    push(&s->values, MISSING);
}

/* Append an instance.  Its steps are appended one by one. */
static void add_instance(steps_t *s, u32 stretch, u32 activation, u32 control, i64 previous) {
    if (s->stretch.n % NEAR == 0) {
        push(&s->operands_before, (u32)s->operands.n);
        push(&s->sources_before, (u32)s->sources.n);
    }
    if (previous + 1 != (i64)s->stretch.n) {
        push(&s->jumps, (u32)s->stretch.n);
        push(&s->jumps_from, (u32)(previous + 1));
    }
    s->last_operands = (u32)s->operands.n;
    s->last_sources = (u32)s->sources.n;
    push(&s->stretch, stretch);
    push(&s->first, (u32)s->values.n);
    push(&s->activation, activation);
    push(&s->control, control);
}

/* Return the instance of a step: it is near the end more often than not. */
static u64 instance_of(const steps_t *s, u32 step) {
    const u32 *first = s->first.at;
    u64 high = s->first.n, size = 1;
    while (size < high && first[high - size] > step) size *= 2;
    u64 low = size < high ? high - size : 0;
    high = high - size / 2;
    while (high - low > 1) {
        u64 middle = low + (high - low) / 2;
        if (first[middle] <= step) low = middle;
        else high = middle;
    }
    return low;
}

static u32 op_in(const steps_t *s, u64 instance, u32 step) {
    return s->program->stretch_first[s->stretch.at[instance]] + step - s->first.at[instance];
}

static u32 op_of(const steps_t *s, u32 step) { return op_in(s, instance_of(s, step), step); }

/* Return how many entries a column has before an instance. */
static u32 before_instance(
    const steps_t *s, const column_t *before, const u32 *counts, u64 instance
) {
    u32 found = before->at[instance / NEAR];
    for (u64 at = instance / NEAR * NEAR; at < instance; at++) found += counts[s->stretch.at[at]];
    return found;
}

/* Return the operands of a step, and their number. */
static const u32 *operands_of(const steps_t *s, u32 step, u32 *count) {
    *count = 0;
    if (!step) return NULL;
    u64 instance = instance_of(s, step);
    u32 op = op_in(s, instance, step), first = s->program->stretch_first[s->stretch.at[instance]];
    u32 before = instance + 1 == s->stretch.n
        ? s->last_operands
        : before_instance(s, &s->operands_before, s->stretch_operands, instance);
    *count = use_count(s->program, op);
    return s->operands.at + before + s->program->use_start[op] - s->program->use_start[first];
}

/* Return the entry of a step in `sources`; NULL if steps of its operation have none. */
static u32 *own_source(const steps_t *s, u32 step) {
    u64 instance = instance_of(s, step);
    u8 rank = s->source_rank[op_in(s, instance, step)];
    if (rank == NO_RANK) return NULL;
    u32 before = instance + 1 == s->stretch.n
        ? s->last_sources
        : before_instance(s, &s->sources_before, s->stretch_sources, instance);
    return s->sources.at + before + rank;
}

/* Return the step whose value a step copied; 0: it copied none. */
static u32 source_of(const steps_t *s, u32 step) {
    const u32 *own = own_source(s, step);
    return own ? *own : entry(&s->other_sources, step);
}

static void set_source(steps_t *s, u32 step, u32 source) {
    u32 *own = own_source(s, step);
    if (own) *own = source;
    else set_entry(&s->other_sources, step, source);
}

static void free_steps(steps_t *s) {
    column_t *columns[] = {
        &s->stretch, &s->first, &s->activation, &s->control, &s->values, &s->operands, &s->sources,
        &s->operands_before, &s->sources_before, &s->jumps, &s->jumps_from};
    for (u32 at = 0; at < sizeof columns / sizeof *columns; at++) free(columns[at]->at);
    free(s->other_sources.at);
    free(s->stretch_operands);
    free(s->stretch_sources);
    free(s->source_rank);
}

#endif
