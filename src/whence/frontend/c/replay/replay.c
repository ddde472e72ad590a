/* What did a recorded thread do?  Interprets its ops together with its log.

   One interpreter serves three purposes.  `replay_open` runs it over the whole log and writes the
   columns; of a long run it writes only the beginning of the longest columns.  `replay_lay_out`
   runs it over one section of a long run and writes these columns there.  `replay_window` runs it
   again from a checkpoint to get the values of some steps; it then omits memory, definers and
   control (loads are logged, so values do not need them).

   1. The tables are sound (check.c): their indices are not checked here.
   2. Every read of the log is checked: a step whose bytes are missing did not run.
   3. `step` is the number of the op in execution or, outside of an op, of the last one. */
#include "interpreter.h"

#include <errno.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

/* --- interface --------------------------------------------------------------------------------- */

struct named { struct column *column; const char *name; };

enum { COLUMNS = 24 }; /* room for all of them */

static u32 all_columns(struct kernel *k, struct named *to) {
    const struct named all[] = {
        {&k->stretch, "stretch.u32"}, {&k->first, "first.u32"}, {&k->activation, "activation.u32"},
        {&k->control, "control.u32"}, {&k->links, "links.u32"}, {&k->linkbase, "linkbase.u64"},
        {&k->instmap, "instmap.u32"}, {&k->mixed, "mixed.u32"}, {&k->run_rows, "runs"},
        {&k->effects, "effects"}, {&k->writes, "writes"}, {&k->copied, "copied"},
        {&k->checkpoints, "checkpoints"}, {&k->checkpoint_index, "checkpoints.index"},
        {&k->sections, "sections"}, {&k->section_index, "sections.index"}, {&k->pages, "pages"},
        {&k->page_index, "pages.index"}, {&k->visits, "visits"},
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
    k->counts = calloc(k->t->n_stretches + 1, sizeof *k->counts);
    k->next_section = ~0ull;
    k->least_write = NONE;
    if (k->scratch && k->counts) return k;
    free(k->scratch);
    free(k->counts);
    free(k);
    return NULL;
}

static void finish(struct kernel *k) {
    free_frames(k);
    free(k->runs.run);
    free(k->copies);
    free(k->scratch);
    free(k->counts);
    free(k);
}

static int open_columns(struct kernel *k, const char *directory) { /* returns 0 or an errno */
    struct named all[COLUMNS];
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
    struct named all[COLUMNS];
    int error = 0;
    column_trim(&k->instmap, k->instance ? 4 * (k->step / 64ull + 1) : 0);
    for (u32 i = 0, n = all_columns(k, all); i < n; i++) {
        column_close(all[i].column);
        error = error ? error : all[i].column->error;
    }
    mapped_close(&k->activations);
    return error ? error : k->activations.error;
}

/* --- one section: rows of these columns are written, others are only counted --- */

static int open_section(struct kernel *k, const struct section *s, const char *directory) {
    struct named all[COLUMNS];
    u32 n = all_columns(k, all);
    int error = 0;
    for (u32 i = 0; i < n; i++) column_open_dropped(all[i].column, 0);
    for (u32 i = 0; i < n; i++) {
        struct column *c = all[i].column;
        u64 at = section_offset(k, c, s);
        if (at != ~0ull) {
            column_close(c);
            column_open_at(c, directory, all[i].name, at);
        }
        error = error ? error : c->error;
    }
    return error;
}

static int close_section(struct kernel *k) {
    struct named all[COLUMNS];
    int error = 0;
    for (u32 i = 0, n = all_columns(k, all); i < n; i++) {
        column_close(all[i].column);
        error = error ? error : all[i].column->error;
    }
    return error;
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
    meta->copied = column_bytes(&k->copied) / sizeof(struct write);
    meta->sections = k->n_sections ? k->n_sections + 1 : 0;
    meta->checkpoints = column_bytes(&k->checkpoint_index) / sizeof(struct checkpoint);
}

/* Interpret log[start..end) and write the columns.  `jumps` says where signal
   handlers jumped out, in order.  `crash` points to the address whose use killed the program, or
   is NULL.  The columns of sections.c are written for the first `first_section` steps; the rest of
   the run is cut into sections of at least `section_every` steps, and of more if otherwise more than
   `saved_per_step` bytes a step were saved for them (0: no limit).  Return 0, or an errno if the columns
   could not be written. */
EXPORT int replay_open(const struct prepared *prepared, const u8 *log, u64 start, u64 end,
                       const struct jump *jumps, u64 n_jumps, const u64 *crash, u64 memory_limit,
                       u64 checkpoint_every, u64 first_section, u64 section_every,
                       u64 saved_per_step, const char *directory, progress_fn *progress,
                       struct meta *meta) {
    struct kernel *k = begin(prepared, log, start, end, meta);
    if (!k) return ENOMEM;
    k->jumps = jumps;
    k->n_jumps = n_jumps;
    k->killed = crash != NULL;
    k->killed_at = crash ? *crash : 0;
    k->progress = progress;
    k->checkpoint_every = k->next_checkpoint = k->next_event = checkpoint_every;
    k->next_progress = PROGRESS;
    k->section_every = section_every;
    k->saved_per_step = saved_per_step;
    /* An instance that a signal handler jumped out of has rows for steps that did not run: such a
       run cannot be cut. */
    k->next_section = n_jumps ? ~0ull : first_section;
    if (k->next_event > k->next_section) k->next_event = k->next_section;
    memory_open(&k->memory, memory_limit);
    for (u64 i = 0; i < k->t->n_initial; i++)
        memory_initial(&k->memory, k->t->initial[i].address, k->t->initial[i].size,
                       k->t->initial[i].bytes);
    int error = open_columns(k, directory);
    if (!error) {
        run_recording(k, 0);
        for (u32 i = 0; i < k->n_frames; i++) end_activation(k, &k->frames[i], 0, 0);
        if (k->memory.out_of_memory) out_of_memory(k);
        if (k->n_sections) {
            save_visits(k);
            save_copies(k, directory);
        }
    }
    fill_meta(k);
    int closing = close_columns(k);
    memory_close(&k->memory);
    finish(k);
    return error ? error : closing;
}

/* Write the rows of one section to the columns that it shares with the others.  `s` is the row of the
   section, `next` the state at its end, and `until` the step at which it ends (~0: with the log).
   `pages` are ordered by number and section.  Return 0, an errno, or -1 if the section does not end
   in the state `next`. */
EXPORT int replay_lay_out(const struct prepared *prepared, const u8 *log, u64 start, u64 end,
                          const u64 *crash, u64 memory_limit, u32 number, const struct section *s,
                          const struct section *next, u64 until, const u8 *sections, u64 size,
                          const struct saved_page *pages, u64 n_pages, const u8 *page_bytes,
                          u64 page_size, u64 *copies, u64 n_copies, const char *directory,
                          struct meta *meta) {
    struct kernel *k = begin(prepared, log, start, end, meta);
    if (!k) return ENOMEM;
    k->is_laying = 1;
    k->killed = crash != NULL;
    k->killed_at = crash ? *crash : 0;
    k->next_event = until;
    k->copies = copies;
    k->n_copies = n_copies;
    memory_open(&k->memory, memory_limit);
    memory_section(&k->memory, number);
    k->memory.saved = pages;
    k->memory.n_saved = n_pages;
    k->memory.saved_bytes = page_bytes;
    k->memory.saved_size = page_size;
    int error = open_section(k, s, directory), is_sound = 0;
    if (!error && restore_section(k, s, sections, size)) {
        run_recording(k, 1);
        is_sound = !k->memory.out_of_memory && k->instance == next->instance &&
                   column_bytes(&k->links) / 4 == next->links && k->n_mixed == next->mixed &&
                   k->n_runs == next->runs && column_bytes(&k->writes) / sizeof(struct write) == next->writes &&
                   column_bytes(&k->copied) / sizeof(struct write) == next->copied &&
                   k->activations.used / sizeof(struct activation) == next->activations;
    }
    int closing = close_section(k);
    memory_close(&k->memory);
    k->copies = NULL; /* the caller's */
    finish(k);
    return error ? error : closing ? closing : is_sound ? 0 : -1;
}

/* Fill the arrays of the window, starting at the checkpoint `c` (NULL: at the start).  Return
   the number of filled steps of the window, or -1. */
EXPORT i64 replay_window(const struct prepared *prepared, const u8 *log, u64 start, u64 end,
                         const struct jump *jumps, u64 n_jumps, const struct checkpoint *c,
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
