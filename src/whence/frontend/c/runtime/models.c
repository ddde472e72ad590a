/* What do the important functions of libc read and write?  wh_b_NAME is called before a call of
 * NAME, wh_a_NAME after it (with the result first); models.py lists them.  Both leave errno and
 * the floating-point environment unchanged. */
#include <ctype.h>
#include <malloc.h>

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

/* Both strings are read up to the first difference. */
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

/* strtok and the like: where the search starts, and where the string ended before the call. */
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
    if (size < n) {
        copies(r, s, size + 1);
        return;
    }
    copies(r, s, size);
    writes(r + size, 1);
}
SAME(a, strndup, __strndup)
void wh_a_strdup(char *r, const char *s) { wh_a_strndup(r, s, SIZE_MAX); }
SAME(a, strdup, __strdup)
void wh_a_strerror(const char *r, int error) { (void)error; writes_string(r); }

/* --- numbers --- */

/* Parsing reads from the start of the number to the byte that ended it. */
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

static __thread size_t old_size; /* size of the block that realloc gets */
void wh_b_realloc(void *old, size_t n) { (void)n; old_size = old ? malloc_usable_size(old) : 0; }
void wh_b_reallocarray(void *old, size_t n, size_t size) { (void)size; wh_b_realloc(old, n); }
void wh_a_realloc(void *r, void *old, size_t n)
{
    if (r == old) { /* grown in place: the contents are unchanged */
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
