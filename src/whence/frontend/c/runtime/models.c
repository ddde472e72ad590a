/* What do the functions of libc that matter read and write?  wh_b_NAME is called before a call of
 * NAME, wh_a_NAME after it (with the result first); models.py says which there are.  Both leave
 * errno and the floating-point environment as they were. */
#include <ctype.h>
#include <dirent.h>
#include <getopt.h>
#include <malloc.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

/* The same hook for another name of the same function. */
#define SAME(when, name, other)                                                                    \
    extern __typeof__(wh_##when##_##name) wh_##when##_##other                                      \
        __attribute__((alias("wh_" #when "_" #name)));

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- memory --- */

void wh_a_memcpy(void *r, void *to, const void *from, size_t n) { (void)r; copies(to, from, n); }
SAME(a, memcpy, memmove)
SAME(a, memcpy, mempcpy)
SAME(a, memcpy, __mempcpy)
void wh_a___memcpy_chk(void *r, void *to, const void *from, size_t n, size_t most)
{
    (void)r, (void)most;
    copies(to, from, n);
}
SAME(a, __memcpy_chk, __memmove_chk)
SAME(a, __memcpy_chk, __mempcpy_chk)
void wh_a_bcopy(const void *from, void *to, size_t n) { copies(to, from, n); }
void wh_a_memset(void *r, void *at, int c, size_t n) { (void)r, (void)c; writes(at, n); }
void wh_a___memset_chk(void *r, void *at, int c, size_t n, size_t most)
{
    (void)r, (void)c, (void)most;
    writes(at, n);
}
void wh_a_bzero(void *at, size_t n) { writes(at, n); }
SAME(a, bzero, explicit_bzero)

void wh_a_memcmp(int r, const void *a, const void *b, size_t n)
{
    const char *p = a, *q = b;
    size_t same = 0;
    while (r != 0 && same < n && p[same] == q[same])
        same++;
    n = r == 0 ? n : least(same + 1, n);
    reads(a, n);
    reads(b, n);
}
SAME(a, memcmp, bcmp)

void wh_a_memchr(const char *r, const char *at, int c, size_t n)
{
    (void)c;
    reads(at, r ? (size_t)(r - at) + 1 : n);
}
void wh_a_rawmemchr(const char *r, const char *at, int c)
{
    (void)c;
    reads(at, (size_t)(r - at) + 1);
}
void wh_a_memrchr(const char *r, const char *at, int c, size_t n)
{
    (void)c;
    reads(r ? r : at, r ? n - (size_t)(r - at) : n);
}
void wh_a_memmem(const char *r, const char *in, size_t n, const char *what, size_t m)
{
    reads(in, r ? (size_t)(r - in) + m : n);
    reads(what, m);
}

/* --- strings --- */

void wh_a_strlen(size_t r, const char *s) { reads(s, r + 1); }
void wh_a_strnlen(size_t r, const char *s, size_t n) { reads(s, least(r + 1, n)); }
void wh_a_strcpy(char *r, char *to, const char *from) { (void)r; copies(to, from, strlen(to) + 1); }
SAME(a, strcpy, stpcpy)
SAME(a, strcpy, __stpcpy)
void wh_a___strcpy_chk(char *r, char *to, const char *from, size_t most)
{
    (void)most;
    wh_a_strcpy(r, to, from);
}
SAME(a, __strcpy_chk, __stpcpy_chk)

void wh_a_strncpy(char *r, char *to, const char *from, size_t n)
{
    (void)r;
    size_t copied = least(strnlen(from, n) + 1, n);
    copies(to, from, copied);
    writes(to + copied, n - copied);
}
SAME(a, strncpy, stpncpy)
void wh_a___strncpy_chk(char *r, char *to, const char *from, size_t n, size_t most)
{
    (void)most;
    wh_a_strncpy(r, to, from, n);
}
SAME(a, __strncpy_chk, __stpncpy_chk)

void wh_a_strlcpy(size_t r, char *to, const char *from, size_t n)
{
    reads(from, r + 1);
    if (n) {
        copies(to, from, least(r, n - 1));
        writes(to + least(r, n - 1), 1);
    }
}
void wh_a_strlcat(size_t r, char *to, const char *from, size_t n)
{
    size_t added = strlen(from), old = r - added;
    reads(from, added + 1);
    reads(to, least(old + 1, n));
    if (old < n) {
        added = least(added, n - 1 - old);
        copies(to + old, from, added);
        writes(to + old + added, 1);
    }
}

static void appends(char *to, const char *from, size_t n)
{
    size_t added = strnlen(from, n), old = strlen(to) - added;
    reads(to, old);
    copies(to + old, from, added);
    reads(from + added, added < n);
    writes(to + old + added, 1);
}
void wh_a_strcat(char *r, char *to, const char *from) { (void)r; appends(to, from, SIZE_MAX); }
void wh_a_strncat(char *r, char *to, const char *from, size_t n) { (void)r; appends(to, from, n); }
void wh_a___strcat_chk(char *r, char *to, const char *from, size_t most)
{
    (void)r, (void)most;
    appends(to, from, SIZE_MAX);
}
void wh_a___strncat_chk(char *r, char *to, const char *from, size_t n, size_t most)
{
    (void)r, (void)most;
    appends(to, from, n);
}

/* Both are read up to the first difference, which decides. */
static void compares(const char *a, const char *b, size_t n, int fold)
{
    size_t i = 0;
    while (i < n && a[i] &&
           (a[i] == b[i] ||
            (fold && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))))
        i++;
    n = i < n ? i + 1 : n;
    reads(a, n);
    reads(b, n);
}
void wh_a_strcmp(int r, const char *a, const char *b) { (void)r; compares(a, b, SIZE_MAX, 0); }
void wh_a_strncmp(int r, const char *a, const char *b, size_t n) { (void)r; compares(a, b, n, 0); }
void wh_a_strcasecmp(int r, const char *a, const char *b) { (void)r; compares(a, b, SIZE_MAX, 1); }
void wh_a_strncasecmp(int r, const char *a, const char *b, size_t n)
{
    (void)r;
    compares(a, b, n, 1);
}
void wh_a_strcoll(int r, const char *a, const char *b)
{
    (void)r;
    reads_string(a);
    reads_string(b);
}

void wh_a_strchr(const char *r, const char *s, int c)
{
    (void)c;
    reads(s, (r ? (size_t)(r - s) : strlen(s)) + 1);
}
SAME(a, strchr, index)
SAME(a, strchr, strchrnul)
void wh_a_strrchr(const char *r, const char *s, int c)
{
    (void)r, (void)c;
    reads_string(s);
}
SAME(a, strrchr, rindex)
void wh_a_strstr(const char *r, const char *s, const char *what)
{
    reads(s, r ? (size_t)(r - s) + strlen(what) : strlen(s) + 1);
    reads_string(what);
}
SAME(a, strstr, strcasestr)
void wh_a_strpbrk(const char *r, const char *s, const char *set)
{
    reads(s, (r ? (size_t)(r - s) : strlen(s)) + 1);
    reads_string(set);
}
void wh_a_strspn(size_t r, const char *s, const char *set)
{
    reads(s, r + 1);
    reads_string(set);
}
SAME(a, strspn, strcspn)

/* strtok and its kin: where the search starts, and where the string ended before the call. */
static __thread char *token_start, *token_end;
static char *strtok_next;

static void token_from(char *start)
{
    token_start = start;
    token_end = start ? start + strlen(start) : NULL;
}

/* The search read from its start to the end of the token; the byte there became 0. */
static char *token_found(char *token, const char *set)
{
    reads_string(set);
    if (!token_start)
        return NULL;
    char *end = token ? token + strlen(token) : token_end;
    reads(token_start, (size_t)(end - token_start) + 1);
    if (end < token_end)
        writes(end++, 1);
    return end;
}
void wh_b_strtok(char *s, const char *set) { (void)set; token_from(s ? s : strtok_next); }
void wh_a_strtok(char *r, char *s, const char *set)
{
    (void)s;
    strtok_next = token_found(r, set);
}
void wh_b_strtok_r(char *s, const char *set, char **rest) { (void)set; token_from(s ? s : *rest); }
void wh_a_strtok_r(char *r, char *s, const char *set, char **rest)
{
    if (!s)
        reads(rest, sizeof *rest);
    token_found(r, set);
    writes(rest, sizeof *rest);
}
SAME(b, strtok_r, __strtok_r)
SAME(a, strtok_r, __strtok_r)
void wh_b_strsep(char **s, const char *set) { (void)set; token_from(*s); }
void wh_a_strsep(char *r, char **s, const char *set)
{
    reads(s, sizeof *s);
    token_found(r, set);
    writes(s, sizeof *s);
}

void wh_a_strndup(char *r, const char *s, size_t n)
{
    if (!r)
        return;
    size_t size = strnlen(s, n);
    allocates(r, size + 1);
    reads(s + size, size < n);
    copies(r, s, size);
    writes(r + size, 1);
}
SAME(a, strndup, __strndup)
void wh_a_strdup(char *r, const char *s) { wh_a_strndup(r, s, SIZE_MAX); }
SAME(a, strdup, __strdup)
void wh_a_strerror(const char *r, int error) { (void)error; writes_string(r); }

/* --- numbers --- */

/* From where the number starts to the byte that ended it. */
static void parses(const char *s, char *const *end, const char *found)
{
    reads(s, (size_t)(found - s) + 1);
    if (end)
        writes(end, sizeof *end);
}

static const char *integer_end(const char *s, int base)
{
    char *end;
    int error = errno;
    strtoull(s, &end, base);
    errno = error;
    return end;
}

static const char *real_end(const char *s);

void wh_a_strtol(long r, const char *s, char **end, int base)
{
    (void)r;
    parses(s, end, end ? *end : integer_end(s, base));
}
SAME(a, strtol, strtoul)
SAME(a, strtol, strtoll)
SAME(a, strtol, strtoull)
SAME(a, strtol, strtoimax)
SAME(a, strtol, strtoumax)
SAME(a, strtol, __isoc23_strtol)
SAME(a, strtol, __isoc23_strtoul)
SAME(a, strtol, __isoc23_strtoll)
SAME(a, strtol, __isoc23_strtoull)
SAME(a, strtol, __isoc23_strtoimax)
SAME(a, strtol, __isoc23_strtoumax)
#define REAL(name, type)                                                                           \
    void wh_a_##name(type r, const char *s, char **end)                                            \
    {                                                                                              \
        (void)r;                                                                                   \
        parses(s, end, end ? *end : real_end(s));                                                  \
    }
REAL(strtod, double)
REAL(strtof, float)
REAL(strtold, long double)
void wh_a_atoi(int r, const char *s) { (void)r; parses(s, NULL, integer_end(s, 10)); }
void wh_a_atol(long r, const char *s) { (void)r; parses(s, NULL, integer_end(s, 10)); }
SAME(a, atol, atoll)
void wh_a_atof(double r, const char *s) { (void)r; parses(s, NULL, real_end(s)); }

/* --- allocation --- */

void wh_a_malloc(void *r, size_t n) { allocates(r, n); }
SAME(a, malloc, _Znwm)
SAME(a, malloc, _Znam)
SAME(a, malloc, valloc)
void wh_a__ZnwmRKSt9nothrow_t(void *r, size_t n, const void *tag) { (void)tag; allocates(r, n); }
SAME(a, _ZnwmRKSt9nothrow_t, _ZnamRKSt9nothrow_t)
void wh_a__ZnwmSt11align_val_t(void *r, size_t n, size_t align) { (void)align; allocates(r, n); }
SAME(a, _ZnwmSt11align_val_t, _ZnamSt11align_val_t)
void wh_a_calloc(void *r, size_t n, size_t size)
{
    allocates(r, n * size);
    writes(r, n * size);
}
void wh_a_aligned_alloc(void *r, size_t align, size_t n) { (void)align; allocates(r, n); }
SAME(a, aligned_alloc, memalign)
void wh_a_posix_memalign(int r, void **at, size_t align, size_t n)
{
    (void)align;
    if (r == 0) {
        writes(at, sizeof *at);
        allocates(*at, n);
    }
}

static __thread size_t old_size; /* of the block that realloc is given */
void wh_b_realloc(void *old, size_t n) { (void)n; old_size = old ? malloc_usable_size(old) : 0; }
void wh_b_reallocarray(void *old, size_t n, size_t size) { (void)size; wh_b_realloc(old, n); }
void wh_a_realloc(void *r, void *old, size_t n)
{
    if (r == old) { /* grown where it is: what it held is still there */
        if (n > old_size)
            allocates((char *)r + old_size, n - old_size);
        return;
    }
    if (r) {
        allocates(r, n);
        copies(r, old, least(old_size, n));
    }
    if (r || n == 0)
        frees(old);
}
void wh_a_reallocarray(void *r, void *old, size_t n, size_t size) { wh_a_realloc(r, old, n * size); }
void wh_b_free(void *at) { frees(at); }
SAME(b, free, _ZdlPv)
SAME(b, free, _ZdaPv)
void wh_b__ZdlPvm(void *at, size_t n) { (void)n; frees(at); }
SAME(b, _ZdlPvm, _ZdaPvm)
SAME(b, _ZdlPvm, _ZdlPvSt11align_val_t)
SAME(b, _ZdlPvm, _ZdaPvSt11align_val_t)
void wh_b__ZdlPvRKSt9nothrow_t(void *at, const void *tag) { (void)tag; frees(at); }
SAME(b, _ZdlPvRKSt9nothrow_t, _ZdaPvRKSt9nothrow_t)
void wh_b__ZdlPvmSt11align_val_t(void *at, size_t n, size_t align)
{
    (void)n, (void)align;
    frees(at);
}
SAME(b, _ZdlPvmSt11align_val_t, _ZdaPvmSt11align_val_t)

/* --- descriptors --- */

void wh_a_open(int r, const char *path, int flags, ...) { (void)flags; reads_string(path); forget_fd(r); }
SAME(a, open, open64)
void wh_a_openat(int r, int at, const char *path, int flags, ...)
{
    (void)at, (void)flags;
    reads_string(path);
    forget_fd(r);
}
SAME(a, openat, openat64)
void wh_a_creat(int r, const char *path, int mode) { (void)mode; reads_string(path); forget_fd(r); }
void wh_b_close(int fd) { forget_fd(fd); }
void wh_a_dup(int r, int fd) { share_fd(r, fd); }
void wh_a_dup2(int r, int fd, int to) { (void)to; share_fd(r, fd); }
void wh_a_dup3(int r, int fd, int to, int flags) { (void)flags; wh_a_dup2(r, fd, to); }
void wh_a_fcntl(int r, int fd, int command, ...)
{
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        share_fd(r, fd);
}
SAME(a, fcntl, fcntl64)
void wh_a_pipe(int r, int fds[2])
{
    if (r == 0) {
        writes(fds, 2 * sizeof *fds);
        forget_fd(fds[0]);
        forget_fd(fds[1]);
    }
}
void wh_a_pipe2(int r, int fds[2], int flags) { (void)flags; wh_a_pipe(r, fds); }
void wh_a_socket(int r, int domain, int type, int protocol)
{
    (void)domain, (void)type, (void)protocol;
    forget_fd(r);
}
void wh_a_accept(int r, int fd, void *address, void *size)
{
    (void)fd, (void)address, (void)size;
    forget_fd(r);
}
void wh_a_lseek(off_t r, int fd, off_t offset, int whence) { (void)offset, (void)whence; seeks(fd, r); }
SAME(a, lseek, lseek64)

void wh_a_read(ssize_t r, int fd, void *at, size_t n) { (void)n; inputs(fd, r, at); }
void wh_a___read_chk(ssize_t r, int fd, void *at, size_t n, size_t most)
{
    (void)n, (void)most;
    inputs(fd, r, at);
}
void wh_a_pread(ssize_t r, int fd, void *at, size_t n, off_t offset)
{
    (void)n;
    inputs_at(fd, r, at, (uint64_t)offset);
}
SAME(a, pread, pread64)
void wh_a_readv(ssize_t r, int fd, const struct iovec *parts, int n)
{
    reads(parts, (size_t)n * sizeof *parts);
    for (int i = 0; i < n && r > 0; r -= (ssize_t)parts[i++].iov_len)
        inputs(fd, (long)least((size_t)r, parts[i].iov_len), parts[i].iov_base);
}
void wh_a_recv(ssize_t r, int fd, void *at, size_t n, int flags)
{
    (void)n;
    if (!(flags & MSG_PEEK))
        inputs(fd, (long)least(r < 0 ? 0 : (size_t)r, n), at);
    else if (r > 0)
        writes(at, least((size_t)r, n));
}
void wh_a_recvfrom(ssize_t r, int fd, void *at, size_t n, int flags, void *from, void *size)
{
    (void)from, (void)size;
    wh_a_recv(r, fd, at, n, flags);
}
void wh_a_write(ssize_t r, int fd, const void *at, size_t n) { (void)n; outputs(fd, r, at, 1); }
void wh_a_pwrite(ssize_t r, int fd, const void *at, size_t n, off_t offset)
{
    (void)n;
    outputs_at(fd, r, at, 1, (uint64_t)offset);
}
SAME(a, pwrite, pwrite64)
void wh_a_writev(ssize_t r, int fd, const struct iovec *parts, int n)
{
    reads(parts, (size_t)n * sizeof *parts);
    for (int i = 0; i < n && r > 0; r -= (ssize_t)parts[i++].iov_len)
        outputs(fd, (long)least((size_t)r, parts[i].iov_len), parts[i].iov_base, 1);
}
void wh_a_send(ssize_t r, int fd, const void *at, size_t n, int flags)
{
    (void)n, (void)flags;
    outputs(fd, r, at, 1);
}
void wh_a_sendto(ssize_t r, int fd, const void *at, size_t n, int flags, const void *to, int size)
{
    (void)n, (void)flags, (void)to, (void)size;
    outputs(fd, r, at, 1);
}
void wh_a_mmap(void *r, void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    (void)at, (void)protection;
    if (r == MAP_FAILED)
        return;
    if (flags & MAP_ANONYMOUS) {
        allocates(r, n);
        writes(r, n);
        return;
    }
    struct stat status;
    int error = errno;
    if (syscall(SYS_fstat, fd, &status) == 0 && status.st_size > offset)
        inputs_at(fd, (long)least(n, (uint64_t)(status.st_size - offset)), r, (uint64_t)offset);
    errno = error;
}
SAME(a, mmap, mmap64)
void wh_b_munmap(void *at, size_t n) { (void)n; frees(at); }

/* --- stdio: files --- */

void wh_a_fopen(FILE *r, const char *path, const char *mode)
{
    reads_string(path);
    reads_string(mode);
    forget_fd(fd_of(r));
}
SAME(a, fopen, fopen64)
SAME(a, fopen, popen)
void wh_a_tmpfile(FILE *r) { forget_fd(fd_of(r)); }
SAME(a, tmpfile, tmpfile64)
void wh_b_fclose(FILE *file) { forget_fd(fd_of(file)); }
SAME(b, fclose, pclose)
void wh_b_freopen(const char *path, const char *mode, FILE *file)
{
    (void)path, (void)mode;
    forget_fd(fd_of(file));
}
void wh_a_freopen(FILE *r, const char *path, const char *mode, FILE *file)
{
    (void)file;
    wh_a_fopen(r, path, mode);
}
SAME(b, freopen, freopen64)
SAME(a, freopen, freopen64)

static void seeks_to(FILE *file)
{
    int error = errno;
    seeks(fd_of(file), ftello(file));
    errno = error;
}
void wh_a_fseek(int r, FILE *file, long offset, int whence)
{
    (void)r, (void)offset, (void)whence;
    seeks_to(file);
}
SAME(a, fseek, fseeko)
SAME(a, fseek, fseeko64)
void wh_a_fsetpos(int r, FILE *file, const void *to) { (void)r, (void)to; seeks_to(file); }
SAME(a, fsetpos, fsetpos64)
void wh_a_rewind(FILE *file) { seeks_to(file); }

/* --- stdio: input --- */

void wh_a_fread(size_t r, void *at, size_t size, size_t n, FILE *file)
{
    (void)n;
    inputs(fd_of(file), (long)(r * size), at);
}
SAME(a, fread, fread_unlocked)
void wh_a_fgetc(int r, FILE *file) { inputs(fd_of(file), r != EOF, NULL); }
SAME(a, fgetc, getc)
SAME(a, fgetc, _IO_getc)
SAME(a, fgetc, getc_unlocked)
SAME(a, fgetc, fgetc_unlocked)
void wh_a_getchar(int r) { wh_a_fgetc(r, stdin); }
SAME(a, getchar, getchar_unlocked)
void wh_a_ungetc(int r, int c, FILE *file)
{
    (void)c;
    struct source *s = r != EOF ? source_of(fd_of(file)) : NULL;
    if (s && s->input)
        s->input--;
}
SAME(a, ungetc, _IO_ungetc)
static void inputs_line(char *line, FILE *file)
{
    if (line) {
        size_t n = strlen(line);
        inputs(fd_of(file), (long)n, line);
        writes(line + n, 1);
    }
}
void wh_a_fgets(char *r, char *at, int n, FILE *file) { (void)at, (void)n; inputs_line(r, file); }
SAME(a, fgets, fgets_unlocked)
void wh_a___fgets_chk(char *r, char *at, size_t most, int n, FILE *file)
{
    (void)at, (void)most, (void)n;
    inputs_line(r, file);
}
void wh_a_gets(char *r, char *at)
{
    (void)at;
    inputs_line(r, stdin);
    if (r && !feof(stdin))
        inputs(0, 1, NULL); /* the newline, which is dropped */
}
void wh_a_getdelim(ssize_t r, char **line, size_t *size, int end, FILE *file)
{
    (void)end;
    if (r < 0)
        return;
    writes(line, sizeof *line);
    writes(size, sizeof *size);
    inputs(fd_of(file), r, *line);
    writes(*line + r, 1);
}
SAME(a, getdelim, __getdelim)
void wh_a_getline(ssize_t r, char **line, size_t *size, FILE *file)
{
    wh_a_getdelim(r, line, size, '\n', file);
}

/* --- stdio: output --- */

void wh_a_fwrite(size_t r, const void *at, size_t size, size_t n, FILE *file)
{
    (void)n;
    outputs(fd_of(file), (long)(r * size), at, 0);
}
SAME(a, fwrite, fwrite_unlocked)
static void outputs_string(const char *s, FILE *file)
{
    size_t n = strlen(s);
    outputs(fd_of(file), (long)n, s, 0);
    reads(s + n, 1);
}
void wh_a_fputs(int r, const char *s, FILE *file)
{
    if (r != EOF)
        outputs_string(s, file);
}
SAME(a, fputs, fputs_unlocked)
void wh_a_puts(int r, const char *s)
{
    if (r != EOF) {
        outputs_string(s, stdout);
        outputs(fd_of(stdout), 1, NULL, -1);
    }
}
void wh_a_fputc(int r, int c, FILE *file) { (void)c; outputs(fd_of(file), r != EOF, NULL, 0); }
SAME(a, fputc, putc)
SAME(a, fputc, _IO_putc)
SAME(a, fputc, putc_unlocked)
SAME(a, fputc, fputc_unlocked)
void wh_a_putchar(int r, int c) { wh_a_fputc(r, c, stdout); }
SAME(a, putchar, putchar_unlocked)
void wh_b_perror(const char *s)
{
    char message[256];
    int error = errno, fd = fd_of(stderr);
    const char *text = strerror_r(error, message, sizeof message);
    if (s && *s) {
        outputs_string(s, stderr);
        outputs(fd, 2, NULL, -1);
    }
    outputs(fd, (long)strlen(text) + 1, NULL, -1);
    errno = error;
}

/* --- order, environment, options --- */

void wh_b_qsort(void *at, size_t n, size_t size, void *compare) { (void)compare; reads(at, n * size); }
void wh_a_qsort(void *at, size_t n, size_t size, void *compare) { (void)compare; writes(at, n * size); }
void wh_b_qsort_r(void *at, size_t n, size_t size, void *compare, void *with)
{
    (void)compare, (void)with;
    reads(at, n * size);
}
void wh_a_qsort_r(void *at, size_t n, size_t size, void *compare, void *with)
{
    (void)compare, (void)with;
    writes(at, n * size);
}
void wh_b_bsearch(const void *key, const void *at, size_t n, size_t size, void *compare)
{
    (void)key, (void)compare;
    reads(at, n * size);
}

void wh_a_getenv(const char *r, const char *name)
{
    size_t n = strlen(name);
    reads(name, n + 1);
    if (r)
        reads(r - n - 1, n + 1);
}
SAME(a, getenv, secure_getenv)

void wh_a_getopt(int r, int argc, char *const *argv, const char *options)
{
    reads(argv, (size_t)argc * sizeof *argv);
    reads_string(options);
    if (optind > 0 && optind <= argc)
        reads_string(argv[optind - 1]);
    writes(&optind, sizeof optind);
    writes(&optarg, sizeof optarg);
    if (r == '?' || r == ':')
        writes(&optopt, sizeof optopt);
}
void wh_a_getopt_long(int r, int argc, char *const *argv, const char *options,
                      const struct option *names, int *index)
{
    wh_a_getopt(r, argc, argv, options);
    for (; names && names->name; names++) {
        reads(names, sizeof *names);
        reads_string(names->name);
        if (names->flag && r == 0 && *names->flag == names->val)
            writes(names->flag, sizeof *names->flag);
    }
    writes(index, sizeof *index);
}
SAME(a, getopt_long, getopt_long_only)

/* --- time, files' facts --- */

void wh_a_time(time_t r, time_t *at) { (void)r; writes(at, sizeof *at); }
void wh_a_gettimeofday(int r, struct timeval *at, void *zone) { (void)r, (void)zone; writes(at, sizeof *at); }
void wh_a_clock_gettime(int r, int clock, struct timespec *at) { (void)r, (void)clock; writes(at, sizeof *at); }
void wh_a_localtime(const struct tm *r, const time_t *t)
{
    reads(t, sizeof *t);
    writes(r, sizeof *r);
}
SAME(a, localtime, gmtime)
void wh_a_localtime_r(const struct tm *r, const time_t *t, struct tm *to)
{
    (void)to;
    wh_a_localtime(r, t);
}
SAME(a, localtime_r, gmtime_r)
void wh_a_mktime(time_t r, struct tm *tm)
{
    (void)r;
    reads(tm, sizeof *tm);
    writes(tm, sizeof *tm);
}
SAME(a, mktime, timegm)
void wh_a_strftime(size_t r, char *to, size_t n, const char *format, const struct tm *tm)
{
    reads_string(format);
    reads(tm, sizeof *tm);
    writes(to, least(r + 1, n));
}
void wh_a_asctime(const char *r, const struct tm *tm)
{
    reads(tm, sizeof *tm);
    writes_string(r);
}
void wh_a_ctime(const char *r, const time_t *t)
{
    reads(t, sizeof *t);
    writes_string(r);
}

void wh_a_stat(int r, const char *path, struct stat *to)
{
    reads_string(path);
    writes(to, r == 0 ? sizeof *to : 0);
}
SAME(a, stat, lstat)
SAME(a, stat, stat64)
SAME(a, stat, lstat64)
void wh_a_fstat(int r, int fd, struct stat *to) { (void)fd; writes(to, r == 0 ? sizeof *to : 0); }
SAME(a, fstat, fstat64)
void wh_a_fstatat(int r, int fd, const char *path, struct stat *to, int flags)
{
    (void)fd, (void)flags;
    wh_a_stat(r, path, to);
}
SAME(a, fstatat, fstatat64)
void wh_a_readdir(const struct dirent *r, void *directory)
{
    (void)directory;
    if (r)
        writes(r, r->d_reclen);
}
SAME(a, readdir, readdir64)
void wh_a_getcwd(char *r, char *to, size_t n)
{
    (void)n;
    if (r && !to)
        allocates(r, strlen(r) + 1);
    writes_string(r);
}
void wh_a_realpath(char *r, const char *path, char *to)
{
    reads_string(path);
    if (r && !to)
        allocates(r, strlen(r) + 1);
    writes_string(r);
}
void wh_a_readlink(ssize_t r, const char *path, char *to, size_t n)
{
    (void)n;
    reads_string(path);
    writes(to, r > 0 ? (size_t)r : 0);
}

/* --- the end, and other programs --- */

void wh_b_exit(int status) { exits(status); }
SAME(b, exit, _exit)
SAME(b, exit, _Exit)
SAME(b, exit, quick_exit)

void wh_b_execv(const char *path, char *const *argv)
{
    reads_string(path);
    for (; argv && *argv; argv++)
        reads_string(*argv);
    before_exec();
}
SAME(b, execv, execvp)
void wh_a_execv(int r, const char *path, char *const *argv) { (void)r, (void)path, (void)argv; exec_failed(); }
SAME(a, execv, execvp)
void wh_b_execve(const char *path, char *const *argv, char *const *env) { (void)env; wh_b_execv(path, argv); }
SAME(b, execve, execvpe)
void wh_a_execve(int r, const char *path, char *const *argv, char *const *env)
{
    (void)r, (void)path, (void)argv, (void)env;
    exec_failed();
}
SAME(a, execve, execvpe)
void wh_b_execl(const char *path, const char *arg, ...) { reads_string(path); reads_string(arg); before_exec(); }
SAME(b, execl, execlp)
SAME(b, execl, execle)
void wh_a_execl(int r, const char *path, const char *arg, ...) { (void)r, (void)path, (void)arg; exec_failed(); }
SAME(a, execl, execlp)
SAME(a, execl, execle)
