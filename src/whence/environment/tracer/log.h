/* What does the log of a run contain?

   A record is its length (4 bytes, without these), its type (1 byte), and its fields; all numbers
   are little endian.  A text or block of bytes is its length (4 bytes) and the bytes.

   P  process:  number, parent (4 bytes each), role
   X  exec:     process, path, /proc/PID/{cmdline,environ,limits,status}, cwd
   C  call:     process, number of the call (2), flags (2), result (8), arguments (6 * 8), key,
                the number of blocks (1), and the blocks of its live answer
   E  exit:     process, wait status
   S  stack:    process, /proc/PID/maps, stack pointer (8), the bytes at the stack pointer
   Z  end:      wait status of the first process, the number of calls */

#ifndef WHENCE_LOG_H
#define WHENCE_LOG_H

#include <sys/stat.h>
#include <time.h>

#include "memory.h"

enum flag {
    REPLACED = 1,  /* the recorded answer was given instead of the live one */
    SKIPPED = 2,   /* the call was not executed */
    MATCHED = 4,   /* the plan has an answer for this call */
    UNABLE = 8,    /* the recorded answer differs and could not be given */
};

static FILE *log_file;
static u64 logged_calls;

static void begin(bytes_t *record, char type) {
    record->length = 0;
    append_number(record, 0, 4);
    append(record, &type, 1);
}

static void append_block(bytes_t *to, const void *bytes, size_t length) {
    append_number(to, length, 4);
    append(to, bytes, length);
}

static void append_string(bytes_t *to, const char *text) { append_block(to, text, strlen(text)); }

static void finish(bytes_t *record) {
    if (!log_file) return;
    u32 length = record->length - 4;
    memcpy(record->bytes, &length, 4);
    if (fwrite(record->bytes, 1, record->length, log_file) != record->length) fatal("the log");
}

/* Append what a file of /proc contains. */
static void append_proc(bytes_t *to, pid_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    size_t at = to->length;
    append_number(to, 0, 4);
    FILE *file = fopen(path, "re");
    if (file) {
        char part[PAGE];
        size_t got;
        while ((got = fread(part, 1, sizeof part, file)) > 0) append(to, part, got);
        fclose(file);
    }
    u32 length = to->length - at - 4;
    memcpy(to->bytes + at, &length, 4);
}

static void append_link(bytes_t *to, pid_t pid, const char *name) {
    char path[64], target[MAX_PATH];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    ssize_t length = readlink(path, target, sizeof target);
    append_block(to, target, length < 0 ? 0 : length);
}

/* --- the spool: the content of files and folders, each in a file named by a number --- */

#define MAX_CONTENT ((off_t)256 << 20)  /* bytes of a file that is kept; guessed */
#define MAX_PROC ((off_t)4 << 20)       /* bytes of a file of the kernel, which has no size */

typedef struct {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    u32 number;
} kept_t;

static const char *spool;
static kept_t *kept;
static size_t kept_count, kept_room;
static u32 spool_count;

static int spool_file(u32 number, int flags) {
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s/%u", spool, number);
    return open(path, flags | O_CLOEXEC, 0600);
}

/* Return the spool's copy of this state of a file; 0 if there is none.  A file that changed in the
   last second may change again within one tick of its clock. */
static u32 known_copy(const struct stat *status) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (status->st_ctim.tv_sec + 1 >= now.tv_sec || !status->st_size) return 0;
    for (size_t i = kept_count; i-- > 0;)
        if (kept[i].inode == status->st_ino && kept[i].device == status->st_dev &&
            kept[i].size == status->st_size &&
            !memcmp(&kept[i].changed, &status->st_ctim, sizeof status->st_ctim))
            return kept[i].number;
    return 0;
}

/* Copy an open file to the spool; return its number there, 0 if it is not kept. */
static u32 keep_file(int file, const struct stat *status) {
    u32 number = known_copy(status);
    if (number || status->st_size > MAX_CONTENT) return number;
    int copy = spool_file(++spool_count, O_CREAT | O_TRUNC | O_WRONLY);
    if (copy < 0) fatal("the spool");
    off_t limit = status->st_size ? status->st_size : MAX_PROC, done = 0;
    char part[1 << 16];
    ssize_t got;
    while (done < limit && (got = read(file, part, sizeof part)) > 0) {
        if (write(copy, part, got) != got) fatal("the spool");
        done += got;
    }
    close(copy);
    if (kept_count == kept_room) {
        kept_room = kept_room * 2 + 64;
        kept = realloc(kept, kept_room * sizeof *kept);
        if (!kept) fatal("memory");
    }
    kept[kept_count++] = (kept_t){status->st_dev, status->st_ino, status->st_size,
                                  status->st_ctim, spool_count};
    return spool_count;
}

/* Append the names in an open folder, as getdents64 gives them. */
static void read_folder(int folder, bytes_t *names) {
    char part[1 << 15];
    long got;
    while ((got = syscall(SYS_getdents64, folder, part, sizeof part)) > 0) append(names, part, got);
}

static u32 keep_bytes(const bytes_t *content) {
    int copy = spool_file(++spool_count, O_CREAT | O_TRUNC | O_WRONLY);
    if (copy < 0) fatal("the spool");
    if (content->length && write(copy, content->bytes, content->length) != (ssize_t)content->length)
        fatal("the spool");
    close(copy);
    return spool_count;
}

#endif
