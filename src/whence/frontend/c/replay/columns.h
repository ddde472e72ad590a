/* How do columns of unknown length get to disk?  Through a buffer or, if earlier rows still
   change, through a mapping of the growing file.  A column can also be dropped: its rows are then
   counted and not written, and its file has holes in their place.  The first error is kept and
   reported at the end. */
#ifndef WHENCE_COLUMNS_H
#define WHENCE_COLUMNS_H
#include "tables.h"

#include <string.h>

struct column {
    int fd, error, is_dropped;
    u8 *buffer;
    size_t used, size;
    u64 flushed; /* bytes already in the file, or dropped */
};

void column_open(struct column *c, const char *directory, const char *name);
/* The rows from byte `at` on of a file that exists; they replace the holes there. */
void column_open_at(struct column *c, const char *directory, const char *name, u64 at);
void column_open_dropped(struct column *c, u64 at); /* there is no file */
void column_drop(struct column *c);                 /* from now on */
void column_flush(struct column *c);
void column_close(struct column *c); /* flushes */
void column_trim(struct column *c, u64 bytes);
/* Keep only the first `bytes`; later rows are added after them. */
void column_cut(struct column *c, u64 bytes);

/* Return room for `bytes` (at most 1 MiB) at the end of the column; the caller fills it. */
static inline void *column_add(struct column *c, size_t bytes) {
    if (c->used + bytes > c->size) column_flush(c);
    void *place = c->buffer + c->used;
    c->used += bytes;
    return place;
}

static inline void column_u32(struct column *c, u32 value) {
    memcpy(column_add(c, 4), &value, 4);
}

static inline u64 column_bytes(const struct column *c) { return c->flushed + c->used; }

struct mapped {
    int fd, error;
    u8 *rows;
    size_t used, size;
};

void mapped_open(struct mapped *m, const char *directory, const char *name);
void *mapped_add(struct mapped *m, size_t bytes); /* NULL: the disk is full */
void mapped_release(struct mapped *m); /* the memory, not the file; rows can still change */
void mapped_close(struct mapped *m);

#endif
