/* What does the system answer to the calls of a program, and what does the program do if it gets
   recorded answers instead?

   tracer LOG SPOOL PLAN [clock=NS] [leave] [watch=QUESTION] [signal=N] -- COMMAND...

   The log (log.h) and the spool, a folder, get what the calls of calls.h answered.  PLAN (plan.h)
   has answers to give instead; `-` stands for none.  clock=NS adds nanoseconds to the time of day.
   With `leave`, processes that outlive the first one go on, still traced; otherwise they are killed.
   The exit status is 0 if the log is complete, 121 if tracing is forbidden. */

#define _GNU_SOURCE
#include <sys/personality.h>
#include <sys/prctl.h>

#include "stops.h"

#define FORBIDDEN 121
#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | \
                 PTRACE_O_EXITKILL)

static void install_filter(void) {
    static struct sock_filter code[3 * CALL_COUNT + 32];
    struct sock_fprog program = {make_filter(code, clock_offset != 0), code};
    /* Without privileges a filter needs this; then programs cannot become another user. */
    if (geteuid()) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) _exit(FORBIDDEN);
}

/* Start the command, stopped until it is traced; return its process. */
static pid_t start(char **command) {
    int go[2];
    if (pipe2(go, O_CLOEXEC)) fatal("pipe");
    pid_t child = fork();
    if (child < 0) fatal("fork");
    if (child == 0) {
        char word;
        if (read(go[0], &word, 1) != 1) _exit(FORBIDDEN);
        close(go[0]);
        close(go[1]);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        personality(personality(0xffffffff) | ADDR_NO_RANDOMIZE);
        install_filter();
        execvp(command[0], command);
        _exit(errno == ENOENT ? 127 : 126);
    }
    close(go[0]);
    if (ptrace(PTRACE_SEIZE, child, 0, (long)OPTIONS)) {
        close(go[1]);
        waitpid(child, NULL, 0);
        _exit(FORBIDDEN);
    }
    if (write(go[1], "t", 1) != 1) fatal("pipe");
    close(go[1]);
    return child;
}

/* --- events --- */

/* Make the clock a system call: without AT_SYSINFO_EHDR, libc does not find the vDSO. */
static void hide_vdso(task_t *task) {
    struct user_regs_struct registers;
    u64 word, pair[2];
    if (!get_registers(task, &registers)) return;
    u64 at = registers.rsp;
    if (read_memory(task->tid, at, &word, 8) != 8) return;
    at += 8 * (word + 2);  /* argc, argv, null */
    do {
        if (read_memory(task->tid, at, &word, 8) != 8) return;
        at += 8;
    } while (word);
    for (; read_memory(task->tid, at, pair, 16) == 16 && pair[0]; at += 16)
        if (pair[0] == 33) {  /* AT_SYSINFO_EHDR */
            pair[0] = 1;      /* AT_IGNORE */
            write_memory(task->tid, at, pair, 16);
        }
}

static void on_exec(task_t *task) {
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &former);
    if ((pid_t)former != task->tid) {  /* a thread that was not the first one called exec */
        task_t *caller = task_of(former);
        if (caller) {
            task_t copy = *caller;
            copy.tid = task->tid;
            copy.next = task->next;
            *task = copy;
            remove_task(former);
        }
    }
    if (task->call && task->call->kind == EXEC) {
        bytes_t block = {0};
        if (task->content) append_number(&block, task->content, 4);
        log_call(task, 0, &block, 1);
        free(block.bytes);
    }
    bytes_t record = {0};
    begin(&record, 'X');
    append_number(&record, task->process->number, 4);
    append_string(&record, task->path);
    append_proc(&record, task->tid, "cmdline");
    append_proc(&record, task->tid, "environ");
    append_proc(&record, task->tid, "limits");
    append_proc(&record, task->tid, "status");
    append_link(&record, task->tid, "cwd");
    finish(&record);
    free(record.bytes);
    if (clock_offset) hide_vdso(task);
    task->call = NULL;
}

static int handle_stop(task_t *task, int status);

/* A process or thread was started: it has its own stops from now on. */
static void on_start(task_t *task, int event) {
    unsigned long tid = 0;
    ptrace(PTRACE_GETEVENTMSG, task->tid, 0, &tid);
    task_t *child = task_of(tid);
    if (!child) child = add_task(tid);
    process_t *process = task->process;
    if (event == PTRACE_EVENT_CLONE) {
        char path[64];
        struct stat status;
        snprintf(path, sizeof path, "/proc/%d/task/%lu", process->pid, tid);
        if (stat(path, &status)) process = NULL;
    } else {
        process = NULL;
    }
    child->process = process ? process : add_process(tid, task->process);
    if (child->early) {
        int early = child->early;
        child->early = 0;
        handle_stop(child, early);
    }
}

/* Handle a stop and let the thread go on. */
static int handle_stop(task_t *task, int status) {
    int sig = WSTOPSIG(status), event = status >> 16;
    if (!task->process) {
        task->early = status;
        return 0;
    }
    switch (event) {
    case PTRACE_EVENT_SECCOMP:
        resume(task, enter(task) ? PTRACE_SYSCALL : PTRACE_CONT, 0);
        return 0;
    case PTRACE_EVENT_FORK: case PTRACE_EVENT_VFORK: case PTRACE_EVENT_CLONE:
        on_start(task, event);
        break;
    case PTRACE_EVENT_EXEC:
        on_exec(task);
        break;
    case PTRACE_EVENT_STOP:
        if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) {
            resume(task, PTRACE_LISTEN, 0);
            return 0;
        }
        break;
    default:
        if (sig == (SIGTRAP | 0x80)) {
            if (task->call) leave(task);
        } else if (!event) {  /* a signal; within a call its end is still awaited */
            resume(task, task->call ? PTRACE_SYSCALL : PTRACE_CONT, sig);
            return 0;
        }
    }
    resume(task, task->call ? PTRACE_SYSCALL : PTRACE_CONT, 0);
    return 0;
}

static void log_exit(u32 process, int status, char type) {
    bytes_t record = {0};
    begin(&record, type);
    append_number(&record, type == 'Z' ? (u32)status : process, 4);
    append_number(&record, type == 'Z' ? logged_calls : (u64)status, 8);
    finish(&record);
    free(record.bytes);
}

/* Let all processes run.  When the first one ends, write its status to `ended` and close the log;
   with `leaves`, go on until all have ended. */
static void follow(pid_t first, int ended, int leaves) {
    int status;
    pid_t tid;
    while ((tid = waitpid(-1, &status, __WALL)) > 0) {
        task_t *task = task_of(tid);
        if (WIFSTOPPED(status)) {
            if (!task) task = add_task(tid);
            handle_stop(task, status);
            continue;
        }
        if (task && task->process && task->process->pid == tid) log_exit(task->process->number, status, 'E');
        remove_task(tid);
        if (tid != first) continue;
        log_exit(0, status, 'Z');
        if (fclose(log_file)) fatal("the log");
        log_file = NULL;
        if (write(ended, "e", 1) != 1) _exit(120);
        close(ended);
        if (!leaves) break;
        dup2(0, 2);  /* nobody is to wait for more output of ours */
    }
}

/* --- the command line --- */

static int number_of(const char *argument, const char *name, i64 *number) {
    size_t length = strlen(name);
    if (strncmp(argument, name, length)) return 0;
    *number = strtoll(argument + length, NULL, 10);
    return 1;
}

int main(int count, char **arguments) {
    int leaves = 0, at = 4;
    i64 sig = 0;
    if (count < 6) return 120;
    for (; at < count && strcmp(arguments[at], "--"); at++) {
        if (!strcmp(arguments[at], "leave")) leaves = 1;
        else if (!strncmp(arguments[at], "watch=", 6)) watched = arguments[at] + 6;
        else if (!number_of(arguments[at], "clock=", &clock_offset) && !number_of(arguments[at], "signal=", &sig))
            return 120;
    }
    watch_signal = sig;
    spool = arguments[2];
    if (strcmp(arguments[3], "-")) load_plan(arguments[3]);
    log_file = fopen(arguments[1], "we");
    if (!log_file) fatal(arguments[1]);
    setvbuf(log_file, NULL, _IOFBF, 1 << 16);
    if (!getcwd(start_folder, sizeof start_folder)) start_folder[0] = 0;
    snprintf(home_folder, sizeof home_folder, "%s", getenv("HOME") ? getenv("HOME") : "");
    if (home_folder[0] != '/') home_folder[0] = 0;
    fstat(0, &standard_input);
    /* The first process waits for the end of the command; the second one traces, and stays with
       what the command leaves behind. */
    int ended[2];
    if (pipe2(ended, O_CLOEXEC)) fatal("pipe");
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    pid_t tracer = leaves ? fork() : 0;
    if (tracer < 0) fatal("fork");
    if (tracer) {
        char word;
        int status;
        close(ended[1]);
        if (read(ended[0], &word, 1) == 1) return 0;
        waitpid(tracer, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 120;
    }
    pid_t first = start(arguments + at + 1);
    add_task(first)->process = add_process(first, NULL);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 2; i++) dup2(nothing, i);
    follow(first, ended[1], leaves);
    return 0;
}
