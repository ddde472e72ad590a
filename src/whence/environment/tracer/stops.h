/* What does the tracer do when a call begins and when it ends? */

#ifndef WHENCE_STOPS_H
#define WHENCE_STOPS_H

#include "answers.h"

static i64 clock_offset;      /* nanoseconds that are added to the time of day */
static const char *watched;   /* a question; when it is asked first, the stack is logged */
static int watch_signal;      /* and this signal is sent to the thread, if it is not 0 */

#define MAX_STACK (1 << 16)  /* bytes of a stack that are logged; guessed */

/* --- which question does a call ask? --- */

static u32 open_flags(task_t *task) {
    u64 how = 0;
    switch (task->call->number) {
    case SYS_open: return task->args[1];
    case SYS_openat: return task->args[2];
    case SYS_creat: return O_CREAT | O_TRUNC | O_WRONLY;
    default: read_memory(task->tid, task->args[2], &how, sizeof how); return how;
    }
}

/* Write GROUP \x1f NAME of a call; return 0 if the call asks nothing that other runs can match. */
static int question_of(task_t *task) {
    const call_t *call = task->call;
    pid_t tid = task->tid;
    u64 *args = task->args;
    const char *group = call->group;
    static char name[MAX_PATH], tag[32];
    name[0] = tag[0] = 0;
    task->path[0] = 0;
    int descriptor = call->descriptor < 0 ? -1 : (int)args[call->descriptor];
    int at_flags = call->number == SYS_newfstatat ? (int)args[3] : call->number == SYS_statx ? (int)args[2] : 0;
    if (call->number == SYS_prlimit64 && args[0] && (pid_t)args[0] != task->process->pid) return 0;
    if (call->number == SYS_prlimit64 && args[2]) group = "set limit";
    if (call->also >= 0) snprintf(tag, sizeof tag, ":%d", (int)args[call->also]);
    if (call->kind == OPEN) {
        task->flags = open_flags(task);
        if ((task->flags & O_TMPFILE) == O_TMPFILE) return 0;
        if (task->flags & O_PATH) group = "open path";
        else if ((task->flags & O_ACCMODE) || task->flags & (O_CREAT | O_TRUNC)) group = "open to write";
    }
    if (call->path >= 0) {
        int folder = call->folder < 0 ? AT_FDCWD : (int)args[call->folder];
        if (at_flags & AT_EMPTY_PATH || (call->kind != OPEN && folder != AT_FDCWD && !args[call->path])) {
            char text[MAX_PATH];
            if (args[call->path] && read_text(tid, args[call->path], text) != 0) goto path;
            if (folder == AT_FDCWD || !name_descriptor(tid, folder, name)) return 0;
            group = call->layout == STATX ? "fstatx" : "fstat";
        } else {
        path:
            if (!absolute_path(tid, folder, args[call->path], task->path)) return 0;
            name_path(task->path, name);
            if (at_flags & AT_SYMLINK_NOFOLLOW) group = call->layout == STATX ? "lstatx" : "lstat";
        }
    } else if (call->number == SYS_bind || call->number == SYS_connect) {
        struct stat status;
        if (!name_address(tid, args[1], args[2], name)) return 0;
        if (status_of(tid, descriptor, &status)) remember(status.st_ino, name);
    } else if (call->number == SYS_ioctl) {
        if (descriptor > 2 || descriptor < 0) return 0;
        snprintf(name, sizeof name, "descriptor %d", descriptor);
    } else if (call->kind == READ) {
        struct stat status;
        if (!status_of(tid, descriptor, &status) || S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) return 0;
        if (S_ISFIFO(status.st_mode)) {
            if (status.st_ino != standard_input.st_ino || status.st_dev != standard_input.st_dev) return 0;
            strcpy(name, "stdin");
        } else if (!name_descriptor(tid, descriptor, name)) {
            return 0;
        }
    } else if (call->number == SYS_sendto && args[4]) {
        struct stat status;
        if (!name_address(tid, args[4], args[5], name)) return 0;
        if (status_of(tid, descriptor, &status)) remember(status.st_ino, name);
    } else if (call->descriptor >= 0) {
        if (!name_descriptor(tid, descriptor, name)) return 0;
    }
    snprintf(task->question, MAX_KEY, "%s%s\x1f%s", group, tag, name);
    return 1;
}

/* --- paths that exist only for the program --- */

static char **virtual_names;
static size_t virtual_count;

static void make_virtual(const char *question) {
    virtual_names = realloc(virtual_names, (virtual_count + 1) * sizeof *virtual_names);
    if (!virtual_names) fatal("memory");
    virtual_names[virtual_count++] = strdup(strchr(question, '\x1f') + 1);
}

static int is_virtual(const char *question) {
    const char *name = strchr(question, '\x1f') + 1;
    for (size_t i = 0; i < virtual_count; i++)
        if (is_below(name, virtual_names[i])) return 1;
    return 0;
}

/* --- the log --- */

/* Was this already logged?  Of writes, only the first that works is. */
static int is_repeated(task_t *task) {
    static u64 seen[1 << 16];
    u64 sum = (u64)hash(task->question) << 32 | task->process->number;
    u64 *place = &seen[(sum ^ sum >> 32) % (1 << 16)];
    if (*place == sum) return 1;
    *place = sum;
    return 0;
}

static void log_call(task_t *task, i64 result, const bytes_t *blocks, int count) {
    static bytes_t record;
    logged_calls++;
    if (!log_file) return;
    if (task->call->kind == WRITE && result >= 0 && !(task->seen & REPLACED) && is_repeated(task)) return;
    begin(&record, 'C');
    append_number(&record, task->process->number, 4);
    append_number(&record, task->call->number, 2);
    append_number(&record, task->seen, 2);
    append_number(&record, result, 8);
    append(&record, task->args, sizeof task->args);
    append_string(&record, task->question);
    append_number(&record, count, 1);
    for (int i = 0; i < count; i++) append_block(&record, blocks[i].bytes, blocks[i].length);
    finish(&record);
}

static void log_stack(task_t *task) {
    struct user_regs_struct registers;
    if (!get_registers(task, &registers)) return;
    bytes_t record = {0};
    u8 *stack = malloc(MAX_STACK);
    if (!stack) fatal("memory");
    size_t length = read_memory(task->tid, registers.rsp, stack, MAX_STACK);
    begin(&record, 'S');
    append_number(&record, task->process->number, 4);
    append_proc(&record, task->tid, "maps");
    append_number(&record, registers.rsp, 8);
    append_number(&record, registers.rip, 8);
    append_block(&record, stack, length);
    finish(&record);
    free(stack);
    free(record.bytes);
}

static void watch(task_t *task) {
    if (!watched || !task->question[0] || strcmp(watched, task->question)) return;
    log_stack(task);
    watched = NULL;
    if (watch_signal) syscall(SYS_tgkill, task->process->pid, task->tid, watch_signal);
}

/* --- entry --- */

/* Let a program start from the recorded content if the one here differs. */
static void enter_exec(task_t *task) {
    struct stat status;
    int file = open(task->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int starts = file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) && !access(task->path, X_OK);
    if (!has_plan && starts) task->content = keep_file(file, &status);
    if (task->answer) {
        char *content = content_path(task->answer);
        if (task->answer->result < 0 && starts) {
            skip_call(task, task->answer->result);
            task->seen |= REPLACED;
        } else if (task->answer->result >= 0 && content && !(starts && same_content(file, content))) {
            struct user_regs_struct registers;
            if (starts && !task->content) { lseek(file, 0, SEEK_SET); task->content = keep_file(file, &status); }
            get_registers(task, &registers);
            u64 at = (registers.rsp - 256 - MAX_PATH) & ~15ull;
            if (write_memory(task->tid, at, content, strlen(content) + 1)) {
                set_argument(task, task->call->path, at);
                task->seen |= REPLACED;
            } else {
                task->seen |= UNABLE;
            }
        }
        free(content);
    }
    if (file >= 0) close(file);
}

/* Return 1 if the thread is to be stopped again when the call ends. */
static int enter(task_t *task) {
    struct user_regs_struct registers;
    if (!get_registers(task, &registers)) return 0;
    task->call = call_of(registers.orig_rax);
    task->seen = task->content = task->is_virtual = 0;
    task->entry = NULL;
    task->answer = NULL;
    task->question[0] = 0;
    if (!task->call) return 0;
    u64 args[6] = {registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9};
    memcpy(task->args, args, sizeof args);
    const call_t *call = task->call;
    if (call->kind == CLOCK) return call->number != SYS_clock_gettime || args[0] == 0 || args[0] == 5;
    if (call->kind == LIST) {
        struct stat status;
        known_t *folder = known_count && status_of(task->tid, args[0], &status) ? known_inode(status.st_ino) : NULL;
        if (folder && folder->listing) give_names(task, folder->listing);
        return folder && folder->listing;
    }
    if (!question_of(task)) {
        task->call = NULL;
        return 0;
    }
    task->entry = has_plan ? entry_of(task->process->role, task->question) : NULL;
    if (task->entry) task->answer = next_answer(task->entry, task->process);
    if (task->answer) task->seen |= MATCHED;
    if (call->kind == EXEC) {
        enter_exec(task);
    } else if (call->kind == DO && virtual_count && task->path[0] && is_virtual(task->question)) {
        skip_call(task, task->answer ? task->answer->result : 0);
        task->is_virtual = 1;
        task->seen |= REPLACED;
    }
    return 1;
}

/* --- exit --- */

static void leave_clock(task_t *task) {
    struct user_regs_struct registers;
    i64 time[2];
    if (!get_registers(task, &registers) || (i64)registers.rax < 0) return;
    if (task->call->number == SYS_time) {
        time[0] = registers.rax + clock_offset / 1000000000;
        if (task->args[0]) write_memory(task->tid, task->args[0], time, 8);
        set_result(task, time[0]);
        return;
    }
    i64 unit = task->call->number == SYS_gettimeofday ? 1000000 : 1000000000;
    u64 at = task->args[task->call->out];
    if (!at || read_memory(task->tid, at, time, 16) != 16) return;
    i64 sum = time[1] + clock_offset / (1000000000 / unit) % unit;
    time[0] += clock_offset / 1000000000 + (sum >= unit) - (sum < 0);
    time[1] = sum - (sum >= unit) * unit + (sum < 0) * unit;
    write_memory(task->tid, at, time, 16);
}

static void leave_open(task_t *task, i64 live) {
    bytes_t blocks[2] = {{0}, {0}};
    struct stat status;
    char *content = task->answer ? content_path(task->answer) : NULL;
    int differs = task->answer && differs_opened(task, live, task->answer, content);
    if (live >= 0 && status_of(task->tid, live, &status)) {
        u32 number = differs || !has_plan ? keep_opened(task, live, &status) : 0;
        if (number) append_number(&blocks[0], number, 4);
        append(&blocks[1], &status, sizeof status);
    }
    if (differs) {
        if (give_opened(task, live, content)) {
            task->seen |= REPLACED;
            make_virtual(task->question);
        } else {
            task->seen |= UNABLE;
        }
    }
    log_call(task, live, blocks, 2);
    free(blocks[0].bytes);
    free(blocks[1].bytes);
    free(content);
}

static void leave_asked(task_t *task, i64 live) {
    bytes_t bytes = {0};
    places_t places;
    size_t length = places_of(task, live, &places);
    const known_t *ours = NULL;
    struct stat status;
    if (length) read_places(task->tid, &places, length, &bytes);
    if (known_count && task->call->layout == STAT && task->call->path < 0 && bytes.length == sizeof status) {
        memcpy(&status, bytes.bytes, sizeof status);
        ours = known_inode(status.st_ino);
    } else if (known_count && task->call->number == SYS_newfstatat && !task->path[0] && bytes.length == sizeof status) {
        memcpy(&status, bytes.bytes, sizeof status);
        ours = known_inode(status.st_ino);
    }
    if (ours && ours->stat) {  /* of a file in memory: the recorded facts */
        overlay_stat(bytes.bytes, ours->stat, STAT, 1);
        memcpy(bytes.bytes + 48, (u8 *)&status + 48, 8);  /* its size may have grown since */
        write_places(task->tid, &places, bytes.bytes, bytes.length);
    } else if (task->answer && differs_asked(task, live, &bytes, task->answer)) {
        if (give_asked(task, live, &bytes, &places)) {
            task->seen |= REPLACED;
            if (task->call->kind == DO && task->path[0]) make_virtual(task->question);
        } else {
            task->seen |= UNABLE;
        }
    }
    log_call(task, live, &bytes, bytes.length > 0);
    free(bytes.bytes);
}

static void leave(task_t *task) {
    struct user_regs_struct registers;
    const call_t *call = task->call;
    if (!call || !get_registers(task, &registers)) return;
    i64 live = registers.rax;
    if (call->kind == CLOCK) {
        leave_clock(task);
    } else if (call->kind == EXEC) {
        bytes_t none = {0};
        if (live < 0) log_call(task, live, &none, 0);
    } else if (call->kind == OPEN) {
        leave_open(task, live);
    } else if (call->kind != LIST) {
        if (task->is_virtual) {
            bytes_t none = {0};
            log_call(task, live, &none, 0);
        } else {
            leave_asked(task, live);
        }
    }
    watch(task);
    task->call = NULL;
}

#endif
