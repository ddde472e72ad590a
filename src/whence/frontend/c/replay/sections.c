/* How is a long run cut into sections, each of which can be laid out without the rest?

   1. A section begins where an instance begins.  Its row, the file `sections` and the pages saved up
      to then hold everything that the interpreter knows at that point.
   2. A section is laid out by the same code that reads a whole log.  So its rows, their numbers
      included, are those of a run that was laid out as a whole.
   3. When a section begins, only the pages of the shadow memory are saved that the section before it
      accessed.  A page that a section needs is the latest one saved up to its beginning. */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

u64 section_offset(struct kernel *k, const struct column *c, const struct section *s) {
    if (c == &k->stretch || c == &k->first || c == &k->activation || c == &k->control)
        return 4ull * s->instance;
    if (c == &k->links) return 4 * s->links;
    if (c == &k->linkbase) return 8 * ((s->instance + 63ull) / 64);
    if (c == &k->instmap) return 4 * (s->step / 64ull + 1);
    if (c == &k->writes) return sizeof(struct write) * s->writes;
    if (c == &k->copied) return sizeof(struct write) * s->copied;
    return ~0ull;
}

static void drop_columns(struct kernel *k) {
    struct column *dropped[] = {&k->stretch, &k->first, &k->activation, &k->control, &k->links,
                                &k->linkbase, &k->instmap, &k->writes, &k->copied};
    for (u32 i = 0; i < sizeof dropped / sizeof *dropped; i++) column_drop(dropped[i]);
}

static void save_page(struct kernel *k, const struct page *p) {
    struct saved_page row = {p->number, ~0ull, k->n_sections, p->definer, p->fill, 0};
    if (p->bytes) {
        row.at = column_bytes(&k->pages);
        put(&k->pages, p->bytes, sizeof *p->bytes);
    }
    put(&k->page_index, &row, sizeof row);
}

static void save_pages(struct kernel *k) {
    struct memory *m = &k->memory;
    if (k->n_sections == 1) {
        for (u64 i = 0; i < m->size; i++)
            if (m->pages[i].number) save_page(k, &m->pages[i]);
    } else
        for (u64 i = 0; i < m->n_touched; i++) {
            const struct page *p = memory_find(m, m->touched[i]);
            if (p) save_page(k, p);
        }
    memory_section(m, k->n_sections);
}

void save_visits(struct kernel *k) {
    for (u32 i = 0; i < k->t->n_stretches; i++) {
        struct visits row = {i, k->counts[i]};
        if (row.count) put(&k->visits, &row, sizeof row);
        k->counts[i] = 0;
    }
}

void save_section(struct kernel *k) {
    struct memory *m = &k->memory;
    u64 at = column_bytes(&k->sections), pages = column_bytes(&k->pages);
    if (!k->n_sections++) drop_columns(k);
    save_visits(k);
    struct section s = {
        .at = at,
        .log = (u64)(k->p - k->log),
        .links = column_bytes(&k->links) / 4,
        .mixed = k->n_mixed,
        .runs = k->n_runs,
        .activations = k->activations.used / sizeof(struct activation),
        .effects = k->meta->effects,
        .writes = k->meta->writes,
        .copied = column_bytes(&k->copied) / sizeof(struct write),
        .visits = column_bytes(&k->visits) / sizeof(struct visits),
        .pages = column_bytes(&k->page_index) / sizeof(struct saved_page),
        .errno_at = m->errno_at,
        .step = k->step,
        .instance = k->instance,
        .n_frames = k->n_frames,
        .n_decisions = k->n_decisions,
        .n_variadic = m->n_variadic,
        .stretch = k->frames[k->n_frames - 1].stretch,
        .called = m->called,
        .external = m->external,
        .resumed = k->resumed,
        .least_write = k->least_write,
    };
    k->least_write = NONE;
    for (u32 i = 0; i < k->n_frames; i++) {
        put(&k->sections, &k->frames[i], sizeof k->frames[i]);
        put(&k->sections, k->frames[i].slots, frame_size(&k->t->functions[k->frames[i].function]));
    }
    put(&k->sections, k->decisions, k->n_decisions * sizeof *k->decisions);
    put(&k->sections, m->variadic, m->n_variadic * sizeof *m->variadic);
    put(&k->section_index, &s, sizeof s);
    save_pages(k);
    u64 bytes = column_bytes(&k->sections) - at + column_bytes(&k->pages) - pages;
    u64 steps = k->saved_per_step ? bytes / k->saved_per_step : 0;
    k->next_section = k->step + (steps > k->section_every ? steps : k->section_every);
}

/* Copy `size` bytes from offset *at of the file; return 0 if it ends before. */
static int take(void *to, const u8 *file, u64 file_size, u64 *at, u64 size) {
    if (*at > file_size || file_size - *at < size) return 0;
    memcpy(to, file + *at, size);
    *at += size;
    return 1;
}

int restore_section(struct kernel *k, const struct section *s, const u8 *file, u64 size) {
    struct memory *m = &k->memory;
    u64 at = s->at;
    for (u32 i = 0; i < s->n_frames; i++) {
        struct frame saved;
        if (!take(&saved, file, size, &at, sizeof saved)) return 0;
        if (saved.function >= k->t->n_functions || saved.call_op >= k->t->n_ops ||
            saved.stretch >= k->t->n_stretches || saved.block >= k->t->n_blocks) return 0;
        struct frame *f = push_frame(k, saved.function);
        if (!f || !take(f->slots, file, size, &at, frame_size(&k->t->functions[saved.function]))) return 0;
        saved.slots = f->slots;
        saved.local = f->local;
        saved.definer = f->definer;
        saved.chunk = f->chunk;
        *f = saved;
    }
    k->decisions = malloc((s->n_decisions + 1ul) * sizeof *k->decisions);
    if (!k->decisions) return 0;
    k->n_decisions = s->n_decisions;
    k->decisions_size = s->n_decisions + 1;
    if (!take(k->decisions, file, size, &at, s->n_decisions * sizeof *k->decisions)) return 0;
    for (u32 i = 0; i < s->n_variadic; i++) {
        struct variadic v;
        if (!take(&v, file, size, &at, sizeof v)) return 0;
        memory_variadic(m, v.list, v.size, v.call, v.depth);
        if (m->out_of_memory || m->n_variadic != i + 1) return 0;
        m->variadic[i] = v;
    }
    m->errno_at = s->errno_at;
    m->called = s->called;
    m->external = s->external;
    k->resumed = s->resumed;
    k->step = s->step;
    k->instance = s->instance;
    k->n_mixed = s->mixed;
    k->n_runs = s->runs;
    k->activations.used = s->activations * sizeof(struct activation);
    k->p = k->log + s->log;
    return s->n_frames > 0 && k->p <= k->end;
}

/* Write the bits of the steps that copied bytes.  Parts without bits stay holes. */
void save_copies(struct kernel *k, const char *directory) {
    enum { BLOCK = 1 << 16 };
    static const u8 none[BLOCK];
    struct column c;
    u64 size = k->n_copies / 8;
    column_open(&c, directory, "copies.bits");
    for (u64 at = 0; at < size && !c.error; at += BLOCK) {
        size_t n = size - at < BLOCK ? (size_t)(size - at) : BLOCK;
        const u8 *from = (const u8 *)k->copies + at;
        if (memcmp(from, none, n) && pwrite(c.fd, from, n, (off_t)at) != (ssize_t)n) c.error = EIO;
    }
    c.is_dropped = 1;
    c.flushed = size;
    column_close(&c);
    if (c.error && !k->copied.error) k->copied.error = c.error;
}
