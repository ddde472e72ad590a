/* Which functions does this program enter?

   This file is linked into each program and shared library that $CC links.  Their code is compiled
   with -finstrument-functions.  Each function is logged at its first entry with one append, as
   `offset-from-the-ELF-header file-of-this-module`; so a crash loses nothing.

   1. Nothing here allocates, locks or waits: a function may be entered in a signal handler, in a
      fork, or inside the program's own malloc.
   2. System calls are made directly: the program may define its own open or write, and they must
      not be cancellation points.
   3. No file descriptor stays open, and errno is preserved.
   4. Every symbol is hidden, so each module has its own copy and finds its own place in memory. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_instrument_function, visibility("hidden")))
#define QUIET static __attribute__((no_instrument_function))

enum { SLOTS = 1 << 16, PROBES = 64 };
enum { UNKNOWN, LOOKING, KNOWN };

extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));

static uintptr_t seen[SLOTS]; /* open addressing; 0 is free */
static char module[4096];     /* the path of this module, and a line end */
static size_t module_length;
static int module_state;

QUIET uintptr_t number(const char **at) {
    uintptr_t value = 0;
    for (;; ++*at) {
        char c = **at;
        if (c >= '0' && c <= '9') value = value * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f') value = value * 16 + (uintptr_t)(c - 'a' + 10);
        else return value;
    }
}

/* Is this line of /proc/self/maps the mapping of this code?  If so, leave its path in `module`. */
QUIET int is_ours(size_t length) {
    const char *at = module, *end = module + length;
    uintptr_t here = (uintptr_t)&is_ours, first = number(&at);
    if (*at++ != '-' || here < first || here >= number(&at)) return 0;
    while (at < end && *at != '/') at++;
    for (module_length = 0; at < end; at++) module[module_length++] = *at;
    if (!module_length) return 0;
    module[module_length++] = '\n';
    return 1;
}

QUIET void find_module(void) {
    static char chunk[4096];
    size_t length = 0;
    long count, fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    while ((count = syscall(SYS_read, fd, chunk, sizeof chunk)) > 0)
        for (long i = 0; i < count; i++) {
            if (chunk[i] != '\n') {
                if (length < sizeof module - 2) module[length++] = chunk[i];
                continue;
            }
            module[length] = 0;
            if (is_ours(length)) goto found;
            length = 0;
        }
    module_length = 0;
found:
    syscall(SYS_close, fd);
}

/* Is the module's path known?  False while another thread is finding it. */
QUIET int ready(void) {
    int state = UNKNOWN;
    if (__atomic_load_n(&module_state, __ATOMIC_ACQUIRE) == KNOWN) return 1;
    if (!__atomic_compare_exchange_n(&module_state, &state, LOOKING, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_ACQUIRE))
        return state == KNOWN;
    find_module();
    __atomic_store_n(&module_state, KNOWN, __ATOMIC_RELEASE);
    return 1;
}

QUIET void report(uintptr_t function) {
    char text[2 * sizeof function + 1];
    uintptr_t offset = function - (uintptr_t)__ehdr_start;
    struct iovec parts[2] = {{text, sizeof text}, {module, module_length}};
    long fd;
    if (!module_length) return;
    for (int i = 2 * sizeof function - 1; i >= 0; i--, offset >>= 4)
        text[i] = "0123456789abcdef"[offset & 15];
    text[sizeof text - 1] = ' ';
    fd = syscall(SYS_openat, AT_FDCWD, WHENCE_LOG, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return;
    syscall(SYS_writev, fd, parts, 2);
    syscall(SYS_close, fd);
}

HIDDEN void __cyg_profile_func_enter(void *function, void *caller) {
    uintptr_t wanted = (uintptr_t)function;
    size_t slot = (wanted >> 4) * 2654435761u % SLOTS;
    (void)caller;
    for (int i = 0; i < PROBES; i++, slot = (slot + 1) % SLOTS) {
        uintptr_t there = __atomic_load_n(&seen[slot], __ATOMIC_RELAXED);
        if (there == wanted) return;
        if (there) continue;
        int before = errno;
        if (ready() && __atomic_compare_exchange_n(&seen[slot], &there, wanted, 0,
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            report(wanted);
        errno = before;
        return; /* if another function took the slot, this one is logged at its next entry */
    }
}

HIDDEN void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function;
    (void)caller;
}
