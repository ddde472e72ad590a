/* Does the live answer of a call differ from the recorded one, and how is the recorded one given? */

#ifndef WHENCE_ANSWERS_H
#define WHENCE_ANSWERS_H

#include "tasks.h"

/* --- content of files and folders --- */

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Collect the names of a folder in order; the names point into `raw`. */
static size_t sorted_names(const u8 *raw, size_t length, char ***names) {
    size_t count = 0, room = 64;
    *names = zeroed(room, sizeof **names);
    for (size_t at = 0; at + 19 < length;) {
        u16 size;
        memcpy(&size, raw + at + 16, 2);
        if (size < 20 || at + size > length) break;
        if (count == room) {
            *names = realloc(*names, (room *= 2) * sizeof **names);
            if (!*names) fatal("memory");
        }
        (*names)[count++] = (char *)raw + at + 19;
        at += size;
    }
    qsort(*names, count, sizeof **names, compare_texts);
    return count;
}

static int same_names(const u8 *a, size_t a_length, const u8 *b, size_t b_length) {
    char **ours, **theirs;
    size_t count = sorted_names(a, a_length, &ours);
    int same = count == sorted_names(b, b_length, &theirs);
    for (size_t i = 0; same && i < count; i++) same = !strcmp(ours[i], theirs[i]);
    free(ours);
    free(theirs);
    return same;
}

static void read_all(int file, bytes_t *into) {
    char part[1 << 16];
    ssize_t got;
    while ((got = read(file, part, sizeof part)) > 0) append(into, part, got);
}

static void read_path(const char *path, bytes_t *into) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    read_all(file, into);
    close(file);
}

/* Does an open file hold the same bytes as the file `path`? */
static int same_content(int file, const char *path) {
    int other = open(path, O_RDONLY | O_CLOEXEC);
    if (other < 0) return 0;
    char a[1 << 16], b[1 << 16];
    ssize_t got;
    int same = 1;
    while (same && (got = read(file, a, sizeof a)) >= 0) {
        ssize_t done = 0, part;
        while (done < got && (part = read(other, b + done, got - done)) > 0) done += part;
        same = done == got && !memcmp(a, b, got);
        if (!got) {
            same = read(other, b, 1) == 0;
            break;
        }
    }
    close(other);
    return same;
}

/* --- opening --- */

static int opens_to_read(u32 flags) { return (flags & O_ACCMODE) != O_WRONLY && !(flags & O_TRUNC); }

static int reopened(task_t *task, int descriptor, int flags) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", task->tid, descriptor);
    return open(link, flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Put the content that was opened into the spool; 0: it is not kept. */
static u32 keep_opened(task_t *task, int descriptor, const struct stat *status) {
    u32 number = 0;
    int file;
    if (!opens_to_read(task->flags) || (task->flags & O_PATH)) return 0;
    if (S_ISREG(status->st_mode) && (number = known_copy(status))) return number;
    if (S_ISDIR(status->st_mode) && (file = reopened(task, descriptor, O_DIRECTORY)) >= 0) {
        bytes_t names = {0};
        read_folder(file, &names);
        number = keep_bytes(&names);
        free(names.bytes);
        close(file);
    } else if (S_ISREG(status->st_mode) && (file = reopened(task, descriptor, 0)) >= 0) {
        number = keep_file(file, status);
        close(file);
    }
    return number;
}

static char *content_path(const answer_t *answer) {
    if (!answer->count || !answer->block[0].length) return NULL;
    return strndup((const char *)answer->block[0].bytes, answer->block[0].length);
}

static const struct stat *recorded_stat(const answer_t *answer) {
    return answer->count > 1 && answer->block[1].length == sizeof(struct stat)
               ? (const struct stat *)answer->block[1].bytes : NULL;
}

/* Does what was opened differ from what the recorded call opened? */
static int differs_opened(task_t *task, i64 live, const answer_t *answer, const char *content) {
    if ((live < 0) != (answer->result < 0)) return 1;
    if (live < 0) return live != answer->result;
    struct stat status;
    const struct stat *recorded = recorded_stat(answer);
    if (!status_of(task->tid, live, &status)) return 0;
    if (recorded && (recorded->st_mode & S_IFMT) != (status.st_mode & S_IFMT)) return 1;
    if (!content || !opens_to_read(task->flags) || (task->flags & O_PATH)) return 0;
    int is_folder = S_ISDIR(status.st_mode), same = 1;
    if (!is_folder && !S_ISREG(status.st_mode)) return 0;
    int file = reopened(task, live, is_folder ? O_DIRECTORY : 0);
    if (file < 0) return 0;
    if (is_folder) {
        bytes_t ours = {0}, theirs = {0};
        read_folder(file, &ours);
        read_path(content, &theirs);
        same = same_names(ours.bytes, ours.length, theirs.bytes, theirs.length);
        free(ours.bytes);
        free(theirs.bytes);
    } else {
        same = same_content(file, content);
    }
    close(file);
    return !same;
}

/* Fill a file in memory of the process with the recorded content. */
static int fill(task_t *task, int descriptor, const char *content) {
    int file = take_descriptor(task, descriptor);
    if (file < 0) return 0;
    struct stat status;
    int done = fstat(file, &status) == 0, source = content ? open(content, O_RDONLY | O_CLOEXEC) : -1;
    if (source >= 0) {
        char part[1 << 16];
        ssize_t got;
        while ((got = read(source, part, sizeof part)) > 0)
            if (write(file, part, got) != got) done = 0;
        close(source);
    } else if (content) {
        done = 0;
    }
    if (task->flags & O_APPEND) fcntl(file, F_SETFL, O_APPEND);
    else lseek(file, 0, SEEK_SET);
    close(file);
    if (done) {
        known_t *ours = remember(status.st_ino, strchr(task->question, '\x1f') + 1);
        ours->is_ours = 1;
        const struct stat *recorded = recorded_stat(task->answer);
        ours->stat = (u8 *)recorded;
        if (recorded && S_ISDIR(recorded->st_mode)) {
            task->entry->is_listed = 1;
            task->entry->position = 0;
            ours->listing = task->entry;
        }
    }
    return done;
}

/* Give the recorded result of an open: an error, or a file in memory with the recorded content. */
static int give_opened(task_t *task, i64 live, const char *content) {
    answer_t *answer = task->answer;
    const struct stat *recorded = recorded_stat(answer);
    struct stat status;
    if (answer->result < 0) {
        if (live >= 0) call_in(task, SYS_close, live, 0);
        set_result(task, answer->result);
        return 1;
    }
    int is_folder = recorded && S_ISDIR(recorded->st_mode);
    if (is_folder && live >= 0 && status_of(task->tid, live, &status) && S_ISDIR(status.st_mode)) {
        known_t *folder = remember(status.st_ino, strchr(task->question, '\x1f') + 1);
        folder->listing = task->entry;
        task->entry->is_listed = 1;
        task->entry->position = 0;
        return 1;
    }
    if (!content && opens_to_read(task->flags)) return 0;  /* it was not kept */
    if (recorded && !is_folder && !S_ISREG(recorded->st_mode)) return 0;  /* a device, a pipe */
    if (live >= 0) call_in(task, SYS_close, live, 0);
    int path = task->call->path;
    u64 name = task->args[path];  /* the last part of it names the file in memory */
    char given[MAX_PATH];
    int length = read_text(task->tid, task->args[path], given);
    if (length > 200) name += length - 200;
    i64 made = call_in(task, SYS_memfd_create, name, task->flags & O_CLOEXEC ? 1 : 0);
    if (made < 0 || !fill(task, made, is_folder ? NULL : content)) {
        if (made >= 0) call_in(task, SYS_close, made, 0);
        set_result(task, live < 0 ? live : -EIO);
        return 0;
    }
    set_result(task, made);
    return 1;
}

/* At the entry of getdents64 on a folder whose names are replaced: give the next names. */
static void give_names(task_t *task, entry_t *entry) {
    bytes_t raw = {0};
    char *content = content_path(&entry->answers[0]);
    for (u32 i = 0; i < entry->count; i++)  /* the answer that was given last */
        if (task->process->number < entry->processes && entry->next[task->process->number] == i + 1) {
            free(content);
            content = content_path(&entry->answers[i]);
        }
    if (content) read_path(content, &raw);
    free(content);
    u64 room = task->args[2];
    u32 from = entry->position, to = from;
    while (to + 19 < raw.length) {
        u16 size;
        memcpy(&size, raw.bytes + to + 16, 2);
        if (size < 20 || to + size > raw.length || to + size - from > room) break;
        to += size;
    }
    entry->position = to;
    int given = to == from || write_memory(task->tid, task->args[1], raw.bytes + from, to - from);
    skip_call(task, given ? (i64)(to - from) : -EFAULT);
    task->seen |= REPLACED | MATCHED;
    free(raw.bytes);
}

/* --- questions --- */

/* The places that a call writes to, and how many of their bytes its result says it wrote. */
static size_t places_of(task_t *task, i64 result, places_t *places) {
    const call_t *call = task->call;
    places->count = 0;
    if (call->out < 0 || !task->args[call->out]) return 0;
    u64 at = task->args[call->out];
    size_t size = call->number == SYS_ioctl ? ioctl_size(task->args[1]) : call->size;
    switch (call->layout) {
    case FIXED: case STAT: case STATX: case OLD_LIMIT:
        places->at[places->count++] = (struct iovec){(void *)at, size};
        return result < 0 ? 0 : size;
    case RESULT: {
        int count = call->number == SYS_readlinkat ? 3 : call->number == SYS_sched_getaffinity ? 1 : 2;
        places->at[places->count++] = (struct iovec){(void *)at, task->args[count]};
        return result < 0 ? 0 : result;
    }
    case VECTOR:
        read_vector(task->tid, at, task->args[2], places);
        return result < 0 ? 0 : result;
    case MESSAGE: {
        struct msghdr message;
        if (read_memory(task->tid, at, &message, sizeof message) == sizeof message)
            read_vector(task->tid, (u64)message.msg_iov, message.msg_iovlen, places);
        return result < 0 ? 0 : result;
    }
    default:
        return 0;
    }
}

typedef struct { u32 mode, uid, gid; u64 size; } facts_t;

static facts_t facts_of(const u8 *bytes, int layout) {
    facts_t facts = {0};
    if (layout == STAT) {
        const struct stat *status = (const void *)bytes;
        facts = (facts_t){status->st_mode, status->st_uid, status->st_gid, status->st_size};
    } else {  /* struct statx: mask, blksize, attributes, nlink, uid, gid, mode, ..., size at 40 */
        u16 mode;
        memcpy(&mode, bytes + 28, 2);
        memcpy(&facts.uid, bytes + 20, 4);
        memcpy(&facts.gid, bytes + 24, 4);
        memcpy(&facts.size, bytes + 40, 8);
        facts.mode = mode;
    }
    if (!S_ISREG(facts.mode) && !S_ISLNK(facts.mode)) facts.size = 0;
    return facts;
}

static int same_times(const u8 *a, const u8 *b, int layout) {
    return layout == STAT ? !memcmp(a + 88, b + 88, 16) : !memcmp(a + 112, b + 112, 12);
}

/* Copy the facts of a recorded stat over a live one; device, inode and blocks stay live. */
static void overlay_stat(u8 *live, const u8 *recorded, int layout, int with_times) {
    static const u8 stat_fields[][2] = {{24, 12}, {48, 8}}, statx_fields[][2] = {{20, 10}, {40, 8}};
    const u8 (*fields)[2] = layout == STAT ? stat_fields : statx_fields;
    for (int i = 0; i < 2; i++) memcpy(live + fields[i][0], recorded + fields[i][0], fields[i][1]);
    if (with_times) {
        if (layout == STAT) memcpy(live + 72, recorded + 72, 48);
        else memcpy(live + 64, recorded + 64, 64);
    }
}

static int is_name_server(const char *question) {
    size_t length = strlen(question);
    return length > 3 && !strcmp(question + length - 3, ":53");
}

static int differs_asked(task_t *task, i64 live, const bytes_t *bytes, const answer_t *answer) {
    int has_bytes = answer->count > 0, layout = task->call->layout;
    if (task->call->kind == DO || task->call->kind == WRITE)
        return live < 0 ? live != answer->result : answer->result < 0;
    if (live < 0 || answer->result < 0) return live != answer->result;
    if (layout == STAT || layout == STATX) {
        if (!has_bytes || answer->block[0].length != bytes->length) return 0;
        facts_t ours = facts_of(bytes->bytes, layout);
        facts_t theirs = facts_of(answer->block[0].bytes, layout);
        if (task->entry->flags & WITH_TIMES && !same_times(bytes->bytes, answer->block[0].bytes, layout))
            return 1;
        return ours.mode != theirs.mode || ours.uid != theirs.uid || ours.gid != theirs.gid ||
               ours.size != theirs.size;
    }
    if (live != answer->result) return 1;
    if (!has_bytes) return 0;
    size_t from = is_name_server(task->question) ? 2 : 0;  /* the number of the query */
    if (answer->block[0].length != bytes->length) return 1;
    return bytes->length > from && memcmp(bytes->bytes + from, answer->block[0].bytes + from, bytes->length - from);
}

static int give_asked(task_t *task, i64 live, bytes_t *bytes, const places_t *places) {
    answer_t *answer = task->answer;
    const call_t *call = task->call;
    i64 result = answer->result;
    if (call->kind == WRITE) {
        if (result >= 0) result = call->number == SYS_write || call->number == SYS_pwrite64 ||
                                  call->number == SYS_sendto ? (i64)task->args[2] : -1;
        if (result == -1) return 0;  /* its length is not known */
    } else if (call->kind == READ && task->entry->flags & STREAM && answer->count && result >= 0) {
        u32 left = answer->block[0].length - task->entry->offset;
        size_t room = capacity(places);
        u32 length = left < room ? left : room;
        bytes_t given = {0};
        append(&given, answer->block[0].bytes + task->entry->offset, length);
        if (is_name_server(task->question) && live >= 2 && length >= 2) memcpy(given.bytes, bytes->bytes, 2);
        write_places(task->tid, places, given.bytes, length);
        free(given.bytes);
        if (length < left) {
            task->entry->offset += length;
            task->entry->next[task->process->number]--;
        } else {
            task->entry->offset = 0;
        }
        result = length;
    } else if (answer->count && result >= 0) {
        bytes_t given = {0};
        append(&given, answer->block[0].bytes, answer->block[0].length);
        if ((call->layout == STAT || call->layout == STATX) && live >= 0 && bytes->length == given.length) {
            memcpy(given.bytes, bytes->bytes, given.length);
            overlay_stat(given.bytes, answer->block[0].bytes, call->layout, task->entry->flags & WITH_TIMES);
        }
        write_places(task->tid, places, given.bytes, given.length);
        free(given.bytes);
    }
    set_result(task, result);
    return 1;
}

#endif
