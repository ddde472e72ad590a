/* Which threads are traced, and how is a stopped one inspected, changed and made to call? */

#ifndef WHENCE_TASKS_H
#define WHENCE_TASKS_H

#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "plan.h"

typedef struct task {
    pid_t tid;
    process_t *process;   /* null: stopped before its parent told that it exists */
    int early;            /* the status of that stop */
    const call_t *call;   /* the call that it is in, if that is looked at when it ends */
    u64 args[6];
    u32 flags;            /* of the open */
    u16 seen;             /* flags of the log */
    char question[MAX_KEY], path[MAX_PATH];
    entry_t *entry;
    answer_t *answer;
    u32 content;          /* EXEC: the number of the program in the spool */
    int is_virtual;
    struct task *next;
} task_t;

static task_t *tasks;
static process_t **processes;
static u32 process_count;

static task_t *task_of(pid_t tid) {
    task_t **at = &tasks;
    for (; *at; at = &(*at)->next)
        if ((*at)->tid == tid) {
            task_t *found = *at;  /* the next stop is often of the same thread */
            *at = found->next;
            found->next = tasks;
            return tasks = found;
        }
    return NULL;
}

static task_t *add_task(pid_t tid) {
    task_t *task = zeroed(1, sizeof *task);
    task->tid = tid;
    task->next = tasks;
    return tasks = task;
}

static void remove_task(pid_t tid) {
    task_t *task = task_of(tid);
    if (!task) return;
    tasks = task->next;
    free(task);
}

static process_t *add_process(pid_t pid, process_t *parent) {
    process_t *process = zeroed(1, sizeof *process);
    process->pid = pid;
    process->number = process_count;
    if (!parent || strlen(parent->role) > MAX_ROLE - 16) strcpy(process->role, parent ? "deep" : "0");
    else snprintf(process->role, MAX_ROLE, "%.200s.%u", parent->role, ++parent->children);
    processes = realloc(processes, (process_count + 1) * sizeof *processes);
    if (!processes) fatal("memory");
    processes[process_count++] = process;
    bytes_t record = {0};
    begin(&record, 'P');
    append_number(&record, process->number, 4);
    append_number(&record, parent ? parent->number : 0, 4);
    append_string(&record, process->role);
    finish(&record);
    free(record.bytes);
    return process;
}

static void resume(task_t *task, int request, int sig) {
    ptrace(request, task->tid, 0, (long)sig);
}

static int get_registers(task_t *task, struct user_regs_struct *registers) {
    return ptrace(PTRACE_GETREGS, task->tid, 0, registers) == 0;
}

static void set_registers(task_t *task, struct user_regs_struct *registers) {
    ptrace(PTRACE_SETREGS, task->tid, 0, registers);
}

/* At the entry of a call: do not execute it, and let it end with this result. */
static void skip_call(task_t *task, i64 result) {
    struct user_regs_struct registers;
    if (!get_registers(task, &registers)) return;
    registers.orig_rax = -1;
    registers.rax = result;
    set_registers(task, &registers);
    task->seen |= SKIPPED;
}

static void set_result(task_t *task, i64 result) {
    struct user_regs_struct registers;
    if (!get_registers(task, &registers)) return;
    registers.rax = result;
    set_registers(task, &registers);
}

static void set_argument(task_t *task, int number, u64 value) {
    struct user_regs_struct registers;
    if (!get_registers(task, &registers)) return;
    unsigned long long *places[] = {&registers.rdi, &registers.rsi, &registers.rdx,
                                    &registers.r10, &registers.r8, &registers.r9};
    *places[number] = value;
    set_registers(task, &registers);
}

/* At the exit of a call: let the thread make another call, and be where it was.  Signals that
   arrive meanwhile are sent again. */
static i64 call_in(task_t *task, long number, u64 a, u64 b) {
    struct user_regs_struct before, registers;
    if (!get_registers(task, &before)) return -ESRCH;
    registers = before;
    registers.rip -= 2;  /* the syscall instruction */
    registers.rax = number;
    registers.rdi = a;
    registers.rsi = b;
    set_registers(task, &registers);
    int stops = 0, later[16], count = 0;
    while (stops < 2) {
        int status;
        resume(task, PTRACE_SYSCALL, 0);
        if (waitpid(task->tid, &status, __WALL) < 0 || !WIFSTOPPED(status)) return -ESRCH;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) stops++;
        else if (!(status >> 16) && count < 16) later[count++] = WSTOPSIG(status);
    }
    get_registers(task, &registers);
    set_registers(task, &before);
    for (int i = 0; i < count; i++) syscall(SYS_tgkill, task->process->pid, task->tid, later[i]);
    return registers.rax;
}

/* Return a descriptor of ours for the open file that a descriptor of the process denotes. */
static int take_descriptor(task_t *task, int descriptor) {
    int process = syscall(SYS_pidfd_open, task->process->pid, 0);
    if (process < 0) return -1;
    int found = syscall(SYS_pidfd_getfd, process, descriptor, 0);
    close(process);
    return found;
}

#endif
