/* How is the memory of a stopped process read and written? */

#ifndef WHENCE_MEMORY_H
#define WHENCE_MEMORY_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"

#define PAGE 4096
#define MAX_PATH 4096

/* A growing array of bytes. */
typedef struct {
    u8 *bytes;
    size_t length, room;
} bytes_t;

static void fatal(const char *what) {
    fprintf(stderr, "whence-tracer: %s: %s\n", what, strerror(errno));
    _exit(120);
}

static void append(bytes_t *to, const void *bytes, size_t length) {
    if (to->length + length > to->room) {
        to->room = (to->length + length) * 2 + 64;
        to->bytes = realloc(to->bytes, to->room);
        if (!to->bytes) fatal("memory");
    }
    if (length) memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

static void append_number(bytes_t *to, u64 number, size_t width) { append(to, &number, width); }

/* Read up to `length` bytes; return how many could be read. */
static size_t read_memory(pid_t pid, u64 address, void *into, size_t length) {
    size_t done = 0;
    while (done < length) {
        size_t part = PAGE - (address + done) % PAGE;
        if (part > length - done) part = length - done;
        /* whole pages at once, as long as that works */
        if (length - done > part) {
            struct iovec here = {(u8 *)into + done, length - done};
            struct iovec there = {(void *)(address + done), length - done};
            ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
            if (got > 0) {
                done += got;
                continue;
            }
        }
        struct iovec here = {(u8 *)into + done, part};
        struct iovec there = {(void *)(address + done), part};
        ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (got <= 0) break;
        done += got;
    }
    return done;
}

static int write_memory(pid_t pid, u64 address, const void *from, size_t length) {
    struct iovec here = {(void *)from, length}, there = {(void *)address, length};
    return length == 0 || process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)length;
}

/* Read a text that ends with a NUL byte; return its length, or -1 if it cannot be read. */
static int read_text(pid_t pid, u64 address, char into[MAX_PATH]) {
    int length = 0;
    while (length < MAX_PATH) {
        size_t part = PAGE - (address + length) % PAGE;
        if (part > 256) part = 256;
        if (part > (size_t)(MAX_PATH - length)) part = MAX_PATH - length;
        size_t got = read_memory(pid, address + length, into + length, part);
        if (!got) return -1;
        void *end = memchr(into + length, 0, got);
        if (end) return (char *)end - into;
        length += got;
    }
    return -1;
}

#define MAX_SEGMENTS 64

/* The places that a call writes to: one buffer, or those of an iovec. */
typedef struct {
    struct iovec at[MAX_SEGMENTS];
    int count;
} places_t;

static void read_vector(pid_t pid, u64 address, u64 count, places_t *places) {
    if (count > MAX_SEGMENTS) count = MAX_SEGMENTS;
    size_t got = read_memory(pid, address, places->at, count * sizeof(struct iovec));
    places->count = got / sizeof(struct iovec);
}

static size_t capacity(const places_t *places) {
    size_t sum = 0;
    for (int i = 0; i < places->count; i++) sum += places->at[i].iov_len;
    return sum;
}

/* Read the first `length` bytes of some places. */
static void read_places(pid_t pid, const places_t *places, size_t length, bytes_t *into) {
    for (int i = 0; i < places->count && length; i++) {
        size_t part = places->at[i].iov_len < length ? places->at[i].iov_len : length;
        u8 *buffer = malloc(part + 1);
        if (!buffer) fatal("memory");
        append(into, buffer, read_memory(pid, (u64)places->at[i].iov_base, buffer, part));
        free(buffer);
        length -= part;
    }
}

static void write_places(pid_t pid, const places_t *places, const u8 *from, size_t length) {
    for (int i = 0; i < places->count && length; i++) {
        size_t part = places->at[i].iov_len < length ? places->at[i].iov_len : length;
        write_memory(pid, (u64)places->at[i].iov_base, from, part);
        from += part;
        length -= part;
    }
}

#endif
