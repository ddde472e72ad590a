/* Which answers does a run get from the recording?

   A plan is the text "whplan1\n", the number of entries, and the entries.  An entry is its key, its
   flags (4 bytes), the number of its answers (4 bytes) and the answers in order.  An answer is a
   result (8 bytes), the number of blocks (4 bytes) and the blocks.  A key is ROLE \x1f GROUP \x1f
   NAME; the role "*" stands for all processes that have no entry of their own. */

#ifndef WHENCE_PLAN_H
#define WHENCE_PLAN_H

#include <sys/mman.h>

#include "names.h"

#define MAX_BLOCKS 4

enum entry_flag {
    WITH_TIMES = 1,  /* the times of a file are part of the answer */
    STREAM = 2,      /* bytes that were read, to be given in parts of any size */
};

typedef struct {
    i64 result;
    u32 count;
    struct { const u8 *bytes; u32 length; } block[MAX_BLOCKS];
} answer_t;

typedef struct {
    char *key;
    u32 flags, count;
    answer_t *answers;
    u32 *next;         /* by number of the process: the next answer */
    u32 processes;
    u32 offset;        /* how much of the next answer of a STREAM was given */
    int is_listed;     /* LIST: the names of this folder are replaced, from here: */
    u32 position;
} entry_t;

static entry_t *entries;
static u32 entry_count, *buckets, bucket_count;
static int has_plan;

static u32 hash(const char *text) {
    u32 sum = 2166136261u;
    for (; *text; text++) sum = (sum ^ (u8)*text) * 16777619u;
    return sum;
}

static u64 take(const u8 **at, const u8 *end, size_t width) {
    u64 number = 0;
    if ((size_t)(end - *at) < width) { errno = EINVAL; fatal("the plan"); }
    memcpy(&number, *at, width);
    *at += width;
    return number;
}

static const u8 *take_block(const u8 **at, const u8 *end, u32 *length) {
    *length = take(at, end, 4);
    if ((size_t)(end - *at) < *length) { errno = EINVAL; fatal("the plan"); }
    const u8 *found = *at;
    *at += *length;
    return found;
}

static void *zeroed(size_t count, size_t size) {
    void *found = calloc(count ? count : 1, size);
    if (!found) fatal("memory");
    return found;
}

static void load_plan(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) || status.st_size < 12) fatal("the plan");
    const u8 *at = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED || memcmp(at, "whplan1\n", 8)) fatal("the plan");
    const u8 *end = at + status.st_size;
    close(file);
    at += 8;
    entry_count = take(&at, end, 4);
    entries = zeroed(entry_count, sizeof *entries);
    bucket_count = entry_count * 2 + 1;
    buckets = zeroed(bucket_count, sizeof *buckets);
    for (u32 i = 0; i < entry_count; i++) {
        entry_t *entry = &entries[i];
        u32 length;
        const u8 *key = take_block(&at, end, &length);
        entry->key = strndup((const char *)key, length);
        entry->flags = take(&at, end, 4);
        entry->count = take(&at, end, 4);
        entry->answers = zeroed(entry->count, sizeof *entry->answers);
        for (u32 j = 0; j < entry->count; j++) {
            answer_t *answer = &entry->answers[j];
            answer->result = take(&at, end, 8);
            answer->count = take(&at, end, 4);
            if (answer->count > MAX_BLOCKS) { errno = EINVAL; fatal("the plan"); }
            for (u32 k = 0; k < answer->count; k++)
                answer->block[k].bytes = take_block(&at, end, &answer->block[k].length);
        }
        u32 bucket = hash(entry->key) % bucket_count;
        while (buckets[bucket]) bucket = (bucket + 1) % bucket_count;
        buckets[bucket] = i + 1;
    }
    has_plan = 1;
}

static entry_t *entry_of(const char *role, const char *question) {
    if (!entry_count) return NULL;
    char key[MAX_KEY + MAX_ROLE];
    for (int any = 0; any < 2; any++) {
        snprintf(key, sizeof key, "%s\x1f%s", any ? "*" : role, question);
        u32 bucket = hash(key) % bucket_count;
        for (; buckets[bucket]; bucket = (bucket + 1) % bucket_count)
            if (!strcmp(entries[buckets[bucket] - 1].key, key)) return &entries[buckets[bucket] - 1];
    }
    return NULL;
}

/* Return the next answer of an entry for a process: after the last one, the last one again; null
   for a stream that was read to its end. */
static answer_t *next_answer(entry_t *entry, const process_t *process) {
    if (!entry->count) return NULL;
    if (process->number >= entry->processes) {
        u32 more = process->number + 8;
        entry->next = realloc(entry->next, more * sizeof *entry->next);
        if (!entry->next) fatal("memory");
        memset(entry->next + entry->processes, 0, (more - entry->processes) * sizeof *entry->next);
        entry->processes = more;
    }
    u32 *next = &entry->next[process->number];
    if (*next < entry->count) return &entry->answers[(*next)++];
    return entry->flags & STREAM ? NULL : &entry->answers[entry->count - 1];
}

#endif
