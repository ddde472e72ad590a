/* Which steps of a run may depend on its inputs?
 *
 * One pass forward over all steps.  A step is marked VALUE if its value may depend on an input byte,
 * and POINTER if it may point to an argument or an environment variable: these lie in memory before
 * the run, so a load from there has no step that wrote it.  Marks may be too many, never too few:
 * the terms that are built from marked steps turn out constant where inputs do not matter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE 0xFFFFFFFFu
#define PARAMETER 0x80000000u
#define MIXED 0xE0000000u
enum { PLAIN, PHI, CALL, RETURN, BRANCH };
enum { VALUE = 1, POINTER = 2 };
enum { READ = 1, WRITE, COPY, INPUT, OUTPUT };
#define LINK 2
#define DIRECT 1

typedef struct { uint32_t offset, length, step; } run_t;
typedef struct {
    uint32_t function, parent, call, first_instance, last_instance, ret, flags, depth;
} activation_t;
typedef struct {
    uint32_t step;
    uint8_t kind, pad;
    uint16_t pad2;
    uint32_t source;
    int32_t arg;
    uint64_t addr, addr2, len, offset;
    uint32_t first_run, n_runs;
} effect_t;

/* The same members, in the same order, as _Question in reach.py. */
typedef struct {
    const uint32_t *use_start, *use_def, *use_block;
    const uint8_t *kind, *flags;
    const uint32_t *link_rank, *stretch_first_op, *stretch_links, *stretch_block;
    const uint32_t *function_first_op, *function_ops, *function_params;
    const uint32_t *stretch, *first, *activation, *links, *mixed;
    const run_t *runs;
    const activation_t *activations;
    const effect_t *effects;
    const uint32_t *effect_order;
    const uint8_t *free_sources; /* by number: is it a free input? */
    uint64_t n_instances, n_steps, n_links, n_activations, n_effects, n_sources;
    uint64_t low, high; /* the memory that arguments and variables lie in */
    uint8_t *marks;     /* the answer, for each step */
} reach_t;

typedef struct {
    uint8_t *registers, *parameters;
    uint32_t last_op, block; /* the operation that ran last in it, and the block before this one */
} frame_t;

static uint8_t of_use(const reach_t *q, const frame_t *f, uint32_t function, uint32_t use)
{
    if (use == NONE)
        return 0;
    if (use & PARAMETER) {
        uint32_t k = use & ~PARAMETER;
        return k < q->function_params[function] ? f->parameters[k] : 0;
    }
    return f->registers[use - q->function_first_op[function]];
}

static uint8_t of_uses(const reach_t *q, const frame_t *f, uint32_t function, uint32_t op)
{
    uint8_t found = 0;
    int is_phi = q->kind[op] == PHI;
    for (uint32_t u = q->use_start[op]; u < q->use_start[op + 1]; u++)
        if (!is_phi || q->use_block[u] == f->block)
            found |= of_use(q, f, function, q->use_def[u]);
    return found;
}

static uint8_t of_runs(const reach_t *q, uint32_t first, uint32_t count, uint64_t address,
                       int has_address)
{
    uint8_t found = 0;
    for (uint32_t r = first; r < first + count; r++) {
        const run_t *run = &q->runs[r];
        uint64_t start = address + run->offset;
        if (run->step)
            found |= q->marks[run->step];
        else if (has_address && start < q->high && start + run->length > q->low)
            found |= VALUE;
    }
    return found;
}

static uint8_t of_effect(const reach_t *q, const effect_t *e)
{
    if (e->kind == INPUT)
        return e->source < q->n_sources && q->free_sources[e->source] ? VALUE : 0;
    if (e->kind != READ && e->kind != COPY && e->kind != OUTPUT)
        return 0;
    return of_runs(q, e->first_run, e->n_runs, e->kind == COPY ? e->addr2 : e->addr, 1);
}

static int enter(const reach_t *q, frame_t *frames, uint32_t number)
{
    const activation_t *a = &q->activations[number];
    uint32_t params = q->function_params[a->function];
    frame_t *f = &frames[number];
    f->registers = calloc(q->function_ops[a->function] + params + 1, 1);
    if (!f->registers)
        return -1;
    f->parameters = f->registers + q->function_ops[a->function];
    f->block = NONE;
    const frame_t *caller = a->parent ? &frames[a->parent] : NULL;
    if (!a->call || !caller || !caller->registers) {
        memset(f->parameters, a->call ? VALUE | POINTER : POINTER, params);
        return 0;
    }
    uint32_t function = q->activations[a->parent].function, op = caller->last_op;
    uint32_t start = q->use_start[op], count = q->use_start[op + 1] - start;
    uint8_t all = of_uses(q, caller, function, op) | q->marks[a->call];
    for (uint32_t k = 0; k < params; k++)
        f->parameters[k] = a->flags & DIRECT && k + 1 < count
            ? of_use(q, caller, function, q->use_def[start + k]) : all;
    return 0;
}

__attribute__((visibility("default"))) int wh_reach(const reach_t *q)
{
    frame_t *frames = calloc(q->n_activations + 1, sizeof *frames);
    uint64_t links = 0, effect = 0;
    int failed = !frames;
    for (uint64_t i = 0; i < q->n_instances && !failed; i++) {
        uint32_t stretch = q->stretch[i], number = q->activation[i];
        const activation_t *a = &q->activations[number];
        frame_t *f = &frames[number];
        if (!f->registers && enter(q, frames, number)) {
            failed = 1;
            break;
        }
        uint64_t step = q->first[i], end = i + 1 < q->n_instances ? q->first[i + 1] : q->n_steps + 1;
        uint32_t op = q->stretch_first_op[stretch];
        uint64_t phis = step; /* the first step whose register is not set yet */
        for (; step < end; step++, op++) {
            uint8_t mark = of_uses(q, f, a->function, op);
            if (q->flags[op] & LINK && links + q->link_rank[op] < q->n_links) {
                uint32_t link = q->links[links + q->link_rank[op]];
                if (link >= MIXED)
                    mark |= of_runs(q, q->mixed[2 * (link - MIXED)], q->mixed[2 * (link - MIXED) + 1],
                                    0, 0) | (mark & POINTER ? VALUE : 0);
                else if (link)
                    mark |= q->marks[link];
                else if (mark & POINTER)
                    mark |= VALUE;
            }
            for (; effect < q->n_effects && q->effects[q->effect_order[effect]].step <= step; effect++)
                if (q->effects[q->effect_order[effect]].step == step)
                    mark |= of_effect(q, &q->effects[q->effect_order[effect]]);
            q->marks[step] |= mark;
            f->last_op = op;
            if (q->kind[op] == PHI && step + 1 < end && q->kind[op + 1] == PHI)
                continue; /* phis of a block all read what was there before the first of them */
            for (uint64_t s = step; phis <= s; phis++)
                f->registers[op - (s - phis) - q->function_first_op[a->function]] = q->marks[phis];
            if (q->kind[op] == RETURN && a->call && a->parent && frames[a->parent].registers) {
                const frame_t *caller = &frames[a->parent];
                uint32_t function = q->activations[a->parent].function;
                caller->registers[caller->last_op - q->function_first_op[function]] |= mark;
                q->marks[a->call] |= mark;
            }
        }
        links += q->stretch_links[stretch];
        f->block = q->stretch_block[stretch];
        if (i >= a->last_instance) {
            free(f->registers);
            f->registers = NULL;
        }
    }
    for (uint64_t k = 0; frames && k <= q->n_activations; k++)
        free(frames[k].registers);
    free(frames);
    return failed ? -1 : 0;
}
