/* How does the runtime use the system without being seen by the program?
 *
 * It uses system calls instead of libc functions: a program may define its own open() or
 * close(), which would be recorded, and libc functions are cancellation points. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sys_open(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
}

static void sys_close(int fd)
{
    syscall(SYS_close, fd);
}

static void *sys_map(uint64_t size, int flags, int fd, uint64_t offset)
{
    long at = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
    return at == -1 ? NULL : (void *)at;
}

static void sys_unmap(void *at, uint64_t size)
{
    if (at)
        syscall(SYS_munmap, at, size);
}

static void sys_truncate(int fd, uint64_t size)
{
    syscall(SYS_ftruncate, fd, size);
}

/* May a file of this process grow to `size`?  Trying it would raise SIGXFSZ. */
static int size_allowed(uint64_t size)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
    return limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* Make sure that a file that ends at `from` has bytes up to `to`; return 1 on success.  The
 * bytes are written, not only reserved by fallocate: then their pages are in memory before they
 * are touched one by one, which takes less time (notes/trace.md). */
static int reserve(int fd, uint64_t from, uint64_t to)
{
    if (!size_allowed(to))
        return 0;
    static char zeros[256 << 10];
    for (uint64_t at = from; at < to; at += sizeof zeros) {
        uint64_t n = to - at < sizeof zeros ? to - at : sizeof zeros;
        if (syscall(SYS_pwrite64, fd, zeros, n, at) != (long)n)
            return 0;
    }
    return 1;
}

static int write_all(int fd, const void *data, uint64_t size)
{
    const char *p = data;
    while (size) {
        long n = syscall(SYS_write, fd, p, size);
        if (n <= 0)
            return 0;
        p += n;
        size -= (uint64_t)n;
    }
    return 1;
}

/* Copy the first `size` bytes of a file; return 1 if all could be copied. */
static int copy_file(const char *from, const char *to, uint64_t size)
{
    int in = sys_open(from, O_RDONLY), out = sys_open(to, O_RDWR | O_CREAT | O_EXCL);
    static char buffer[1 << 16];
    while (in >= 0 && out >= 0 && size && size_allowed(size)) {
        long n = syscall(SYS_copy_file_range, in, NULL, out, NULL, size, 0);
        if (n < 0) { /* not between these file systems, or not in this kernel */
            n = syscall(SYS_read, in, buffer, size < sizeof buffer ? size : sizeof buffer);
            if (n > 0 && !write_all(out, buffer, (uint64_t)n))
                break;
        }
        if (n <= 0)
            break;
        size -= (uint64_t)n;
    }
    sys_close(in);
    sys_close(out);
    return size == 0;
}

/* --- one thread at a time, with signals blocked and errno preserved --- */

struct lock_state {
    uint64_t mask;
    int error;
};
static atomic_flag busy = ATOMIC_FLAG_INIT;

static struct lock_state enter(void)
{
    struct lock_state lock = {0, errno};
    uint64_t all = ~0ull;
    syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &lock.mask, 8);
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        syscall(SYS_sched_yield);
    return lock;
}

static void leave(struct lock_state lock)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
    syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &lock.mask, NULL, 8);
    errno = lock.error;
}

/* Return memory that is never freed; called between enter() and leave(). */
static void *keep(uint64_t size)
{
    static char *next, *end;
    size = (size + 15) & ~15ull;
    if (size > (uint64_t)(end - next)) {
        uint64_t chunk = size > 1 << 16 ? size : 1 << 16;
        next = sys_map(chunk, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        end = next ? next + chunk : NULL;
        if (!next)
            return NULL;
    }
    void *here = next;
    next += size;
    return here;
}
