#include "columns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t BUFFER = 1 << 20;

static int opened(const char *directory, const char *name, int how) {
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | how, 0666);
}

static int create(const char *directory, const char *name) { return opened(directory, name, O_TRUNC); }

void column_open(struct column *c, const char *directory, const char *name) {
    memset(c, 0, sizeof *c);
    c->size = BUFFER;
    c->buffer = malloc(BUFFER);
    c->fd = c->buffer ? create(directory, name) : -1;
    if (c->fd < 0) c->error = errno;
}

void column_open_at(struct column *c, const char *directory, const char *name, u64 at) {
    column_open_dropped(c, at);
    c->is_dropped = 0;
    c->fd = c->error ? -1 : opened(directory, name, 0);
    if (c->fd < 0 && !c->error) c->error = errno;
}

void column_open_dropped(struct column *c, u64 at) {
    memset(c, 0, sizeof *c);
    c->size = BUFFER;
    c->buffer = malloc(BUFFER);
    c->fd = -1;
    c->is_dropped = 1;
    c->flushed = at;
    if (!c->buffer) c->error = ENOMEM;
}

void column_drop(struct column *c) {
    column_flush(c);
    c->is_dropped = 1;
}

void column_flush(struct column *c) {
    for (size_t done = 0; done < c->used && !c->error && !c->is_dropped;) {
        ssize_t n = pwrite(c->fd, c->buffer + done, c->used - done, (off_t)(c->flushed + done));
        if (n > 0) done += (size_t)n;
        else if (errno != EINTR) c->error = errno ? errno : EIO;
    }
    c->flushed += c->used;
    c->used = 0;
}

void column_trim(struct column *c, u64 bytes) {
    column_flush(c);
    if (bytes >= c->flushed) return;
    c->flushed = bytes;
    if (!c->error && ftruncate(c->fd, (off_t)bytes)) c->error = errno;
}

void column_cut(struct column *c, u64 bytes) {
    if (bytes >= c->flushed) {
        c->used = (size_t)(bytes - c->flushed);
        return;
    }
    c->used = 0;
    c->flushed = bytes;
    if (!c->error && ftruncate(c->fd, (off_t)bytes)) c->error = errno;
}

void column_close(struct column *c) {
    column_flush(c);
    if (c->fd >= 0 && c->is_dropped && !c->error && ftruncate(c->fd, (off_t)c->flushed))
        c->error = errno;
    if (c->fd >= 0 && close(c->fd) && !c->error) c->error = errno;
    free(c->buffer);
    c->buffer = NULL;
    c->fd = -1;
}

void mapped_open(struct mapped *m, const char *directory, const char *name) {
    memset(m, 0, sizeof *m);
    m->fd = create(directory, name);
    if (m->fd < 0) m->error = errno;
}

static void grow(struct mapped *m, size_t size) {
    void *rows = MAP_FAILED;
    /* Allocate the disk blocks now: writing to a mapping on a full disk would raise SIGBUS. */
    int refused = posix_fallocate(m->fd, (off_t)m->size, (off_t)(size - m->size));
    if (!refused) rows = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (refused || rows == MAP_FAILED) {
        m->error = refused ? refused : errno;
        return;
    }
    if (m->rows) munmap(m->rows, m->size);
    m->rows = rows;
    m->size = size;
}

void *mapped_add(struct mapped *m, size_t bytes) {
    if (m->used + bytes > m->size && !m->error) grow(m, m->size ? 2 * m->size : BUFFER);
    if (m->error) return NULL;
    m->used += bytes;
    return m->rows + m->used - bytes;
}

void mapped_release(struct mapped *m) {
    /* The pages of a shared mapping stay in the page cache; the next access maps them again. */
    if (m->rows) madvise(m->rows, m->used & ~(size_t)4095, MADV_DONTNEED);
}

void mapped_close(struct mapped *m) {
    if (m->rows) munmap(m->rows, m->size);
    m->rows = NULL;
    if (m->fd < 0) return;
    if (ftruncate(m->fd, (off_t)m->used) && !m->error) m->error = errno;
    if (close(m->fd) && !m->error) m->error = errno;
    m->fd = -1;
}
