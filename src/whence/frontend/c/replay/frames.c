/* Where are the values of the activations in progress, and how do they get into a checkpoint? */
#include "kernel.h"

#include <stdlib.h>

struct chunk { /* frames are stacked in chunks, which are kept for later calls */
    struct chunk *before, *after;
    size_t used, size;
    u64 data[];
};

static struct chunk *chunk_for(struct chunk *current, size_t bytes) {
    if (current && current->size - current->used >= bytes) return current;
    struct chunk *next = current ? current->after : NULL;
    if (next && next->size >= bytes) return next;
    size_t size = bytes > 1 << 20 ? bytes : 1 << 20;
    struct chunk *made = calloc(1, sizeof *made + size);
    if (!made) return NULL;
    *made = (struct chunk){current, next, 0, size};
    if (next) next->before = made;
    if (current) current->after = made;
    return made;
}

static size_t local_size(const struct function *f) { return (f->local_bytes + 7u) & ~7u; }

size_t frame_size(const struct function *f) {
    return 8ul * f->n_slots + 5 * local_size(f);
}

struct frame *push_frame(struct kernel *k, u32 function) {
    const struct function *f = &k->t->functions[function];
    if (k->n_frames == k->frames_size) {
        u32 wanted = k->frames_size ? 2 * k->frames_size : 256;
        struct frame *more = realloc(k->frames, wanted * sizeof *more);
        if (!more) return NULL;
        k->frames = more;
        k->frames_size = wanted;
    }
    struct chunk *chunk = chunk_for(k->chunk, frame_size(f));
    if (!chunk) return NULL;
    k->chunk = chunk;
    u8 *place = (u8 *)chunk->data + chunk->used;
    chunk->used += frame_size(f);
    struct frame *frame = &k->frames[k->n_frames++];
    memset(frame, 0, sizeof *frame);
    frame->slots = (u64 *)place;
    frame->local = place + 8ul * f->n_slots;
    frame->definer = (u32 *)(frame->local + local_size(f));
    memset(frame->local, 0, 5 * local_size(f));
    frame->chunk = chunk;
    frame->function = function;
    frame->from = NONE;
    frame->decisions = frame->twice = k->n_decisions;
    return frame;
}

void pop_frame(struct kernel *k) {
    struct frame *frame = &k->frames[--k->n_frames];
    frame->chunk->used -= frame_size(&k->t->functions[frame->function]);
    /* An empty chunk stays as the successor of the chunk before it. */
    k->chunk = frame->chunk->used || !frame->chunk->before ? frame->chunk : frame->chunk->before;
    k->n_decisions = frame->decisions;
    while (k->memory.n_variadic && k->memory.variadic[k->memory.n_variadic - 1].depth > k->n_frames)
        k->memory.n_variadic--;
}

void free_frames(struct kernel *k) {
    while (k->chunk && k->chunk->after) k->chunk = k->chunk->after;
    while (k->chunk) {
        struct chunk *before = k->chunk->before;
        free(k->chunk);
        k->chunk = before;
    }
    free(k->frames);
    free(k->decisions);
}

int push_decision(struct kernel *k, u32 step, u32 ipdom) {
    const struct frame *frame = &k->frames[k->n_frames - 1];
    u32 own = k->n_decisions - frame->decisions;
    /* With correct postdominators no two decisions of an activation have the same ipdom, so
       there are never this many.  With wrong tables we lose precision, not memory. */
    int full = own > k->t->functions[frame->function].n_blocks;
    if (own && (full || k->decisions[k->n_decisions - 1].ipdom == ipdom)) k->n_decisions--;
    if (k->n_decisions == k->decisions_size) {
        u32 wanted = k->decisions_size ? 2 * k->decisions_size : 1024;
        struct decision *more = realloc(k->decisions, wanted * sizeof *more);
        if (!more) return 0;
        k->decisions = more;
        k->decisions_size = wanted;
    }
    k->decisions[k->n_decisions++] = (struct decision){step, ipdom};
    return 1;
}

struct saved {
    u64 address;
    u32 function, activation, block, from, stretch, call, call_op, direct, by_call, pad;
};

void put(struct column *c, const void *data, size_t size) {
    for (const u8 *from = data; size;) {
        size_t n = size < 1 << 16 ? size : 1 << 16;
        memcpy(column_add(c, n), from, n);
        from += n;
        size -= n;
    }
}

void save_checkpoint(struct kernel *k) {
    u64 at = column_bytes(&k->checkpoints);
    for (u32 i = 0; i < k->n_frames; i++) {
        const struct frame *f = &k->frames[i];
        const struct function *function = &k->t->functions[f->function];
        struct saved s = {f->address, f->function, f->activation, f->block, f->from,
                          f->stretch, f->call, f->call_op, f->direct, f->by_call, 0};
        put(&k->checkpoints, &s, sizeof s);
        put(&k->checkpoints, f->slots, 8ul * function->n_slots + local_size(function));
    }
    u64 bytes = column_bytes(&k->checkpoints) - at;
    u32 stretch = k->frames[k->n_frames - 1].stretch;
    struct checkpoint c = {at, (u64)(k->p - k->log), k->step, k->instance, k->n_frames, stretch};
    put(&k->checkpoint_index, &c, sizeof c);
    /* Checkpoints take at most two bytes per step, however deep the recursion is. */
    k->next_checkpoint = k->step + (bytes / 2 > k->checkpoint_every ? bytes / 2 : k->checkpoint_every);
}

int restore_checkpoint(struct kernel *k, const struct checkpoint *c, const u8 *file, u64 size) {
    u64 at = c->at;
    for (u32 i = 0; i < c->n_frames; i++) {
        struct saved s;
        if (at > size || size - at < sizeof s) return 0;
        memcpy(&s, file + at, sizeof s);
        at += sizeof s;
        if (s.function >= k->t->n_functions) return 0;
        const struct function *function = &k->t->functions[s.function];
        u64 values = 8ul * function->n_slots + local_size(function);
        if (size - at < values || s.call_op >= k->t->n_ops || s.stretch >= k->t->n_stretches) return 0;
        struct frame *f = push_frame(k, s.function);
        if (!f) return 0;
        memcpy(f->slots, file + at, values);
        at += values;
        f->address = s.address;
        f->activation = s.activation;
        f->block = s.block;
        f->from = s.from;
        f->stretch = s.stretch;
        f->call = s.call;
        f->call_op = s.call_op;
        f->direct = s.direct;
        f->by_call = s.by_call;
    }
    k->step = c->step;
    k->instance = c->instance;
    k->p = k->log + c->log;
    return c->n_frames > 0 && k->p <= k->end;
}
