/* What do functions for sorting, the environment, options, time and the process read and write? */
#include <dirent.h>
#include <getopt.h>
#include <sys/time.h>
#include <time.h>

/* --- sorting, environment, options --- */

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

/* --- time, file status --- */

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

/* --- exit and exec --- */

void wh_b_exit(int status)
{
    puts_out_mappings(NULL, SIZE_MAX, 0);
    exits(status);
}
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
