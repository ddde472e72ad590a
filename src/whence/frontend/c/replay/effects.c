/* What did code that is not recorded do to memory and to the world?  Also: what do recorded
   operations do to whole areas of memory? */
#include "kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define IN_MEMORY 0xffffffffu /* the source of an OUTPUT that stayed in memory */

enum { READ = 1, WRITE, COPIED, INPUT, OUTPUT, ALLOC, FREE, SOURCE, EXIT, ARGV, ENV, SIGNAL };

void fail(struct kernel *k, u32 status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(k->meta->message, sizeof k->meta->message, format, list);
    va_end(list);
    k->meta->status = status;
}

/* An effect after a callback belongs to a call before the steps of the callback. */
static void note_order(struct kernel *k, u32 step) {
    if (step < k->last_row) k->meta->disordered = 1;
    k->last_row = step;
}

void add_write(struct kernel *k, u64 address, u64 size, u32 step) {
    note_order(k, step);
    struct write w = {address, step, (u32)size};
    memcpy(column_add(&k->writes, sizeof w), &w, sizeof w);
    k->meta->writes++;
    if (step < k->least_write) k->least_write = step;
}

static u32 keep_runs(struct kernel *k) { /* returns the number of the first */
    u32 first = (u32)k->n_runs;
    for (u32 i = 0; i < k->runs.n; i++)
        memcpy(column_add(&k->run_rows, sizeof *k->runs.run), &k->runs.run[i], sizeof *k->runs.run);
    k->n_runs += k->runs.n;
    return first;
}

u32 link_of_runs(struct kernel *k) {
    int same = 1;
    for (u32 i = 1; i < k->runs.n; i++) same &= k->runs.run[i].step == k->runs.run[0].step;
    if (same) return k->runs.n ? k->runs.run[0].step : 0;
    u32 pair[2] = {keep_runs(k), k->runs.n};
    memcpy(column_add(&k->mixed, sizeof pair), pair, sizeof pair);
    return MIXED + (u32)k->n_mixed++;
}

static void add_effect(struct kernel *k, struct effect *e) {
    note_order(k, e->step);
    e->first_run = keep_runs(k);
    e->n_runs = k->runs.n;
    memcpy(column_add(&k->effects, sizeof *e), e, sizeof *e);
    k->meta->effects++;
}

/* --- copies: the load of copied bytes notes their addresses, so that each byte can be traced
   --- */

static void note_copy(struct kernel *k, u32 step) {
    if (k->is_laying) return; /* it has its bit */
    if (step >= k->n_copies) {
        u64 steps = (2ull * step + 64) & ~63ull;
        u64 *more = realloc(k->copies, steps / 8);
        if (!more) {
            k->memory.out_of_memory = 1;
            return;
        }
        memset(more + k->n_copies / 64, 0, (steps - k->n_copies) / 8);
        k->copies = more;
        k->n_copies = steps;
    }
    k->copies[step >> 6] |= 1ull << (step & 63);
}

void add_copied(struct kernel *k, u64 address, u64 size, u32 step) {
    struct write row = {address, step, (u32)size};
    memcpy(column_add(&k->copied, sizeof row), &row, sizeof row);
}

static int copied_runs(const struct kernel *k) {
    for (u32 i = 0; i < k->runs.n; i++)
        if (is_copy(k, k->runs.run[i].step)) return 1;
    return 0;
}

void add_copied_runs(struct kernel *k, u64 address, u64 size, u32 step) {
    if (copied_runs(k)) add_copied(k, address, size, step);
}

/* Frame-local bytes were copied.  Their addresses are offsets in the frame; the step shows that
   they are not memory addresses.  If a single step that is not a copy defined all the bytes, its
   link is enough. */
void local_copy(struct kernel *k, u64 to, u64 from, u64 size, u32 step) {
    struct effect e = {.step = step, .kind = COPIED, .addr = to, .addr2 = from, .len = size, .arg = -1};
    if (k->runs.n < 2 && !copied_runs(k)) return;
    add_effect(k, &e);
    note_copy(k, step);
}

void copy_bytes(struct kernel *k, u64 to, u64 from, u64 size, u32 step) {
    struct effect e = {.step = step, .kind = COPIED, .addr = to, .addr2 = from, .len = size, .arg = -1};
    k->runs.n = 0;
    memory_read(&k->memory, from, size, &k->runs);
    add_effect(k, &e);
    note_copy(k, step);
    memory_copy(&k->memory, to, from, size, step);
    add_write(k, to, size, step);
}

void fill_bytes(struct kernel *k, u64 to, int byte, u64 size, u32 step) {
    struct effect e = {.step = step, .kind = WRITE, .addr = to, .len = size, .arg = -1};
    k->runs.n = 0;
    add_effect(k, &e);
    if (byte < 0) memory_write(&k->memory, to, size, step);
    else memory_fill(&k->memory, to, size, (u8)byte, step);
    add_write(k, to, size, step);
}

static void apply(struct kernel *k, struct effect *e) {
    k->runs.n = 0;
    switch (e->kind) {
    case COPIED:
        copy_bytes(k, e->addr, e->addr2, e->len, e->step);
        return;
    case WRITE:
        fill_bytes(k, e->addr, -1, e->len, e->step);
        return;
    case READ:
    case OUTPUT:
        /* The output of sprintf is not read: the item only names the argument that it came from. */
        if (e->source == IN_MEMORY) note_copy(k, e->step);
        else if (e->addr) memory_read(&k->memory, e->addr, e->len, &k->runs);
        break;
    case ARGV:
    case ENV:
        memory_store(&k->memory, e->addr2, (const u8 *)&e->addr, sizeof e->addr, 0);
        add_write(k, e->addr2, sizeof e->addr, 0);
        /* fall through */
    case INPUT:
        if (!e->addr) break;
        memory_write(&k->memory, e->addr, e->len, e->step);
        add_write(k, e->addr, e->len, e->step);
        break;
    case ALLOC:
        memory_forget(&k->memory, e->addr, e->len);
        break;
    }
    add_effect(k, e);
}

static u64 number(const u8 **p, size_t bytes) {
    u64 v = 0;
    memcpy(&v, *p, bytes);
    *p += bytes;
    return v;
}

/* Fields in the order of the log: a letter for the target, a digit for the number of bytes. */
static const char *const FIELDS[] = {
    [READ] = "a8l8", [WRITE] = "a8l8", [COPIED] = "a8b8l8", [INPUT] = "s4o8l8a8",
    [OUTPUT] = "s4o8l8a8r4t4", [ALLOC] = "a8l8", [FREE] = "a8", [SOURCE] = "s4r1l2",
    [EXIT] = "r4", [ARGV] = "a8l8s4b8", [ENV] = "a8l8s4b8", [SIGNAL] = "s4r4",
};

/* Read the item whose first byte is at k->p; on failure set the status and return 0. */
int read_effect(struct kernel *k, u32 step, int recording) {
    const u8 *p = k->p + 1;
    u64 at = (u64)(k->p - k->log);
    u32 kind = p < k->end ? *p++ : 0;
    if (p == k->end && !kind) return fail(k, CUT, "the log ends within an effect"), 0;
    if (kind < READ || kind > SIGNAL)
        return fail(k, DAMAGED, "no effect has kind %u, at offset %llu", kind, (unsigned long long)at), 0;
    struct effect e = {.step = step, .kind = (u8)kind, .arg = -1};
    u64 text = 0; /* bytes that follow the fields in the log */
    for (const char *f = FIELDS[kind]; *f; f += 2) {
        size_t size = (size_t)(f[1] - '0');
        if ((size_t)(k->end - p) < size) return fail(k, CUT, "the log ends within an effect"), 0;
        u64 v = number(&p, size);
        if (*f == 'a') e.addr = v;
        else if (*f == 'b') e.addr2 = v;
        else if (*f == 'l') e.len = v;
        else if (*f == 'o') e.offset = v;
        else if (*f == 's') e.source = (u32)v;
        else if (*f == 't') text = v;
        else e.arg = (i32)(u32)v;
    }
    if (kind == SOURCE) { /* the name of the source follows in the log */
        e.offset = (u64)(p - k->log);
        text = e.len;
    } else if (text) { /* so does the text of an output */
        e.addr2 = (u64)(p - k->log);
    }
    if ((u64)(k->end - p) < text) return fail(k, CUT, "the log ends within an effect"), 0;
    p += text;
    int in_memory = e.addr || (kind != INPUT && kind != OUTPUT);
    if (in_memory && kind != ALLOC && e.len > 0xffffffffu)
        return fail(k, DAMAGED, "an effect on %llu bytes, at offset %llu",
                    (unsigned long long)e.len, (unsigned long long)at), 0;
    if (recording) apply(k, &e);
    k->p = p;
    return 1;
}
