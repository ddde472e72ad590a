/* Which system calls ask something of the environment, and where is the answer of each?

   Calls that are not in the table (memory, threads, signals, waiting) are neither stopped nor seen. */

#ifndef WHENCE_CALLS_H
#define WHENCE_CALLS_H

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "the tracer knows the system calls of x86_64 only"
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

enum kind {
    ASK,    /* changes nothing: executed, and its answer replaced if it differs */
    DO,     /* changes something: only its result is an answer */
    OPEN,   /* gives a descriptor of a file or folder */
    LIST,   /* reads the names of a folder */
    READ,   /* reads from a socket, a device or the standard input */
    WRITE,  /* writes; an answer is whether that worked */
    EXEC,   /* starts a program */
    CLOCK,  /* asks for the time of day; seen only if the clock is replayed */
};

/* How the bytes that a call writes are laid out. */
enum layout { NOTHING, FIXED, RESULT, STAT, STATX, VECTOR, MESSAGE, OLD_LIMIT };

typedef struct {
    u16 number;
    u8 kind, layout;
    const char *group;        /* calls of one group ask the same; "" + the name: the key */
    signed char folder, path, descriptor;  /* positions of arguments; -1: there is none */
    signed char out;          /* the argument that points to what the call writes */
    u16 size;                 /* its bytes, for FIXED */
    signed char also;         /* an argument that belongs to the question: a mode, an option */
} call_t;

#define NONE -1

static const call_t CALLS[] = {
    /* questions about paths */
    {SYS_stat, ASK, STAT, "stat", NONE, 0, NONE, 1, 144, NONE},
    {SYS_lstat, ASK, STAT, "lstat", NONE, 0, NONE, 1, 144, NONE},
    {SYS_fstat, ASK, STAT, "fstat", NONE, NONE, 0, 1, 144, NONE},
    {SYS_newfstatat, ASK, STAT, "stat", 0, 1, NONE, 2, 144, NONE},
    {SYS_statx, ASK, STATX, "statx", 0, 1, NONE, 4, 256, NONE},
    {SYS_access, ASK, NOTHING, "access", NONE, 0, NONE, NONE, 0, 1},
    {SYS_faccessat, ASK, NOTHING, "access", 0, 1, NONE, NONE, 0, 2},
    {SYS_faccessat2, ASK, NOTHING, "access", 0, 1, NONE, NONE, 0, 2},
    {SYS_readlink, ASK, RESULT, "readlink", NONE, 0, NONE, 1, 0, NONE},
    {SYS_readlinkat, ASK, RESULT, "readlink", 0, 1, NONE, 2, 0, NONE},
    {SYS_statfs, ASK, FIXED, "statfs", NONE, 0, NONE, 1, 120, NONE},
    {SYS_fstatfs, ASK, FIXED, "statfs", NONE, NONE, 0, 1, 120, NONE},
    {SYS_getdents64, LIST, RESULT, "list", NONE, NONE, 0, 1, 0, NONE},
    /* opening */
    {SYS_open, OPEN, NOTHING, "open", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_creat, OPEN, NOTHING, "open", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_openat, OPEN, NOTHING, "open", 0, 1, NONE, NONE, 0, NONE},
    {SYS_openat2, OPEN, NOTHING, "open", 0, 1, NONE, NONE, 0, NONE},
    {SYS_execve, EXEC, NOTHING, "exec", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_execveat, EXEC, NOTHING, "exec", 0, 1, NONE, NONE, 0, NONE},
    /* changes of paths */
    {SYS_chdir, DO, NOTHING, "chdir", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_mkdir, DO, NOTHING, "mkdir", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_mkdirat, DO, NOTHING, "mkdir", 0, 1, NONE, NONE, 0, NONE},
    {SYS_rmdir, DO, NOTHING, "rmdir", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_unlink, DO, NOTHING, "unlink", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_unlinkat, DO, NOTHING, "unlink", 0, 1, NONE, NONE, 0, NONE},
    {SYS_rename, DO, NOTHING, "rename", NONE, 1, NONE, NONE, 0, NONE},
    {SYS_renameat, DO, NOTHING, "rename", 2, 3, NONE, NONE, 0, NONE},
    {SYS_renameat2, DO, NOTHING, "rename", 2, 3, NONE, NONE, 0, NONE},
    {SYS_link, DO, NOTHING, "link", NONE, 1, NONE, NONE, 0, NONE},
    {SYS_linkat, DO, NOTHING, "link", 2, 3, NONE, NONE, 0, NONE},
    {SYS_symlink, DO, NOTHING, "symlink", NONE, 1, NONE, NONE, 0, NONE},
    {SYS_symlinkat, DO, NOTHING, "symlink", 1, 2, NONE, NONE, 0, NONE},
    {SYS_mknod, DO, NOTHING, "mknod", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_mknodat, DO, NOTHING, "mknod", 0, 1, NONE, NONE, 0, NONE},
    {SYS_chmod, DO, NOTHING, "chmod", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_fchmod, DO, NOTHING, "chmod", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_fchmodat, DO, NOTHING, "chmod", 0, 1, NONE, NONE, 0, NONE},
    {SYS_chown, DO, NOTHING, "chown", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_lchown, DO, NOTHING, "chown", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_fchown, DO, NOTHING, "chown", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_fchownat, DO, NOTHING, "chown", 0, 1, NONE, NONE, 0, NONE},
    {SYS_truncate, DO, NOTHING, "truncate", NONE, 0, NONE, NONE, 0, NONE},
    {SYS_ftruncate, DO, NOTHING, "truncate", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_fallocate, DO, NOTHING, "fallocate", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_fsync, DO, NOTHING, "fsync", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_fdatasync, DO, NOTHING, "fsync", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_utimensat, DO, NOTHING, "utimens", 0, 1, NONE, NONE, 0, NONE},
    {SYS_flock, DO, NOTHING, "flock", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_fcntl, DO, NOTHING, "lock", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_chroot, DO, NOTHING, "chroot", NONE, 0, NONE, NONE, 0, NONE},
    /* sockets; `bind`, `connect` and `sendto` are named by their address */
    {SYS_socket, DO, NOTHING, "socket", NONE, NONE, NONE, NONE, 0, 0},
    {SYS_bind, DO, NOTHING, "bind", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_connect, DO, NOTHING, "connect", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_listen, DO, NOTHING, "listen", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_getsockopt, ASK, FIXED, "getsockopt", NONE, NONE, 0, 3, 4, 2},
    {SYS_setsockopt, DO, NOTHING, "setsockopt", NONE, NONE, 0, NONE, 0, 2},
    {SYS_recvfrom, READ, RESULT, "read", NONE, NONE, 0, 1, 0, NONE},
    {SYS_recvmsg, READ, MESSAGE, "read", NONE, NONE, 0, 1, 0, NONE},
    {SYS_sendto, WRITE, NOTHING, "write", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_sendmsg, WRITE, NOTHING, "write", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_read, READ, RESULT, "read", NONE, NONE, 0, 1, 0, NONE},
    {SYS_readv, READ, VECTOR, "read", NONE, NONE, 0, 1, 0, NONE},
    {SYS_write, WRITE, NOTHING, "write", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_writev, WRITE, NOTHING, "write", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_pwrite64, WRITE, NOTHING, "write", NONE, NONE, 0, NONE, 0, NONE},
    {SYS_copy_file_range, WRITE, NOTHING, "write", NONE, NONE, 2, NONE, 0, NONE},
    {SYS_sendfile, WRITE, NOTHING, "write", NONE, NONE, 0, NONE, 0, NONE},
    /* the system, the user, limits */
    {SYS_uname, ASK, FIXED, "uname", NONE, NONE, NONE, 0, 390, NONE},
    {SYS_sysinfo, ASK, FIXED, "sysinfo", NONE, NONE, NONE, 0, 112, NONE},
    {SYS_getrlimit, ASK, FIXED, "limit", NONE, NONE, NONE, 1, 16, 0},
    {SYS_setrlimit, DO, NOTHING, "set limit", NONE, NONE, NONE, NONE, 0, 0},
    {SYS_prlimit64, ASK, OLD_LIMIT, "limit", NONE, NONE, NONE, 3, 16, 1},
    {SYS_sched_getaffinity, ASK, RESULT, "processors", NONE, NONE, NONE, 2, 0, NONE},
    {SYS_getuid, ASK, NOTHING, "getuid", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_geteuid, ASK, NOTHING, "geteuid", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_getgid, ASK, NOTHING, "getgid", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_getegid, ASK, NOTHING, "getegid", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_umask, ASK, NOTHING, "umask", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_setuid, DO, NOTHING, "setuid", NONE, NONE, NONE, NONE, 0, 0},
    {SYS_setgid, DO, NOTHING, "setgid", NONE, NONE, NONE, NONE, 0, 0},
    {SYS_setgroups, DO, NOTHING, "setgroups", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_setresuid, DO, NOTHING, "setresuid", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_setresgid, DO, NOTHING, "setresgid", NONE, NONE, NONE, NONE, 0, NONE},
    {SYS_ioctl, ASK, FIXED, "ioctl", NONE, NONE, 0, 2, 0, 1},
    /* the time of day */
    {SYS_clock_gettime, CLOCK, FIXED, "clock", NONE, NONE, NONE, 1, 16, NONE},
    {SYS_gettimeofday, CLOCK, FIXED, "clock", NONE, NONE, NONE, 0, 16, NONE},
    {SYS_time, CLOCK, NOTHING, "clock", NONE, NONE, NONE, NONE, 0, NONE},
};

#define CALL_COUNT (sizeof CALLS / sizeof *CALLS)
#define MAX_NUMBER 512

static const call_t *call_of(u64 number) {
    static const call_t *by_number[MAX_NUMBER];
    if (!by_number[SYS_open])
        for (size_t i = 0; i < CALL_COUNT; i++) by_number[CALLS[i].number] = &CALLS[i];
    return number < MAX_NUMBER ? by_number[number] : NULL;
}

/* Return how many bytes a call of `ioctl` writes; 0 if that is not known. */
static u32 ioctl_size(u64 request) {
    switch (request) {
    case TCGETS: return 36;
    case TIOCGWINSZ: return 8;
    case TIOCGPGRP: return 4;
    default: return 0;
    }
}

/* --- the filter: stop at the calls of the table, let all others run at full speed --- */

#define IS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define STOP BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))

/* Write the filter to `code`, which has room for 3 * CALL_COUNT + 32 instructions; return its length. */
static u16 make_filter(struct sock_filter *code, int with_clock) {
    static const u32 locks[] = {F_SETLK, F_SETLKW, 37 /* F_OFD_SETLK */, 38 /* F_OFD_SETLKW */};
    static const u32 requests[] = {TCGETS, TIOCGWINSZ, TIOCGPGRP};
    u16 n = 0;
    code[n++] = (struct sock_filter)LOAD(arch);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xC000003E, 1, 0);
    code[n++] = (struct sock_filter)PASS;
    code[n++] = (struct sock_filter)LOAD(nr);
    for (size_t i = 0; i < CALL_COUNT; i++) {
        const call_t *call = &CALLS[i];
        if (call->number == SYS_fcntl || call->number == SYS_ioctl) continue;
        if (call->kind == CLOCK && !with_clock) continue;
        code[n++] = (struct sock_filter)IS(call->number);
        code[n++] = (struct sock_filter)STOP;
    }
    /* of these two, only some requests */
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 10);
    code[n++] = (struct sock_filter)LOAD(args[1]);
    for (size_t i = 0; i < 4; i++) {
        code[n++] = (struct sock_filter)IS(locks[i]);
        code[n++] = (struct sock_filter)STOP;
    }
    code[n++] = (struct sock_filter)PASS;
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 7);
    code[n++] = (struct sock_filter)LOAD(args[1]);
    for (size_t i = 0; i < 3; i++) {
        code[n++] = (struct sock_filter)IS(requests[i]);
        code[n++] = (struct sock_filter)STOP;
    }
    code[n++] = (struct sock_filter)PASS;
    return n;
}

#endif
