/* Programs that call the runtime directly, as instrumented code would.  The first argument selects
 * one of them.  mark(n) logs the ENTRY of function n. */
#include "whence.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Recorded code announces what it puts out itself. */
void wh_b_puts(const char *);
void wh_b_printf(const char *, ...);
void wh_b_write(int, const void *, size_t);
#define puts(s) (wh_b_puts(s), puts(s))
#define printf(...) (wh_b_printf(""), printf(__VA_ARGS__))
#define write(...) (wh_b_write(0, "", 0), write(__VA_ARGS__))

int wh_sigaction(int, const struct sigaction *, struct sigaction *);
void (*wh_signal(int, void (*)(int)))(int);
int wh_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int counter = 7;
static char large[1 << 20];
static const void *const symbols[] = {&counter, large, 0};
static const uint32_t snap_index[] = {0, 1};
static const uint64_t snap_size[] = {sizeof counter, sizeof large};
static const struct wh_module module = {"abc123", 3, 2, symbols, snap_index, snap_size};

__attribute__((constructor)) static void register_module(void)
{
    large[500000] = 5;
    wh_register(&module);
}

static void mark(uint64_t n)
{
    wh_room();
    char *p = (char *)wh_log->cursor;
    p[0] = WH_ENTRY;
    memcpy(p + 1, &n, 6);
    wh_log->cursor += 7;
}

static void many(uint64_t from, uint64_t to)
{
    for (uint64_t n = from; n < to; n++)
        mark(n);
}

/* --- threads, fork, exec, the end --- */

static void *thread(void *argument)
{
    uint64_t n = (uint64_t)argument;
    many(n, n + 100000);
    return NULL;
}

static int threads(void)
{
    pthread_t ids[3];
    mark(1);
    for (uint64_t i = 0; i < 3; i++)
        wh_pthread_create(&ids[i], NULL, thread, (void *)(1000000 * (i + 1)));
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    mark(2);
    return 0;
}

static int forks(void)
{
    many(0, 100000);
    pid_t child = fork();
    if (child == 0) {
        many(200000, 300000);
        return 3;
    }
    many(100000, 150000);
    waitpid(child, NULL, 0);
    mark(9);
    return 0;
}

void wh_b_execv(const char *, char *const *);
void wh_a_execv(int, const char *, char *const *);

static int execs(char **argv)
{
    char *next[] = {argv[0], "fine", NULL}, *none[] = {"none", NULL};
    mark(1);
    wh_b_execv("/does/not/exist", none);
    int r = execv("/does/not/exist", none);
    wh_a_execv(r, "/does/not/exist", none);
    mark(2);
    wh_b_execv(argv[0], next);
    execv(argv[0], next);
    return 1;
}

static void late(void)
{
    mark(77);
}

static int fine(void)
{
    atexit(late);
    many(0, 100);
    return 0;
}

static int killed(void)
{
    many(0, 300000);
    kill(getpid(), SIGKILL);
    return 0;
}

static int long_run(void)
{
    many(0, 2000000); /* 14 MB */
    puts("went on");
    return 0;
}

/* --- signals --- */

static int crash(void)
{
    mark(1);
    *(volatile int *)0x1230 = 1;
    return 0;
}

static int recurse(volatile char *p)
{
    volatile char room[4096];
    room[0] = *p;
    return recurse(room) + room[0];
}

static int overflow(void)
{
    char c = 0;
    mark(1);
    return recurse(&c);
}

static int aborts(void)
{
    mark(1);
    abort();
}

static void ignore_it(int signal)
{
    mark(100 + (uint64_t)signal);
}

static int aborts_with_handler(void)
{
    mark(1);
    wh_signal(SIGABRT, ignore_it);
    abort();
}

static sigjmp_buf back;

static void jump_out(int signal)
{
    mark(100 + (uint64_t)signal);
    siglongjmp(back, 1);
}

static int survives(void)
{
    struct sigaction action = {.sa_handler = jump_out}, old;
    mark(1);
    wh_sigaction(SIGSEGV, &action, &old);
    if (old.sa_handler != SIG_DFL)
        return 4;
    wh_sigaction(SIGSEGV, NULL, &old);
    if (old.sa_handler != jump_out)
        return 5;
    if (sigsetjmp(back, 1) == 0) {
        wh_landed(__builtin_frame_address(0));
        mark(2);
        *(volatile int *)0x1230 = 1;
    }
    wh_landed(__builtin_frame_address(0));
    mark(3);
    return 0;
}

static void inner(int signal)
{
    wh_landed(__builtin_frame_address(0)); /* inside: changes nothing */
    mark(200 + (uint64_t)signal);
}

static void outer(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    mark(100 + (uint64_t)signal);
    raise(SIGUSR2);
    mark(300 + (uint64_t)signal);
    errno = ENOTTY;
}

static int handlers(void)
{
    struct sigaction action = {.sa_sigaction = outer, .sa_flags = SA_SIGINFO};
    mark(1);
    wh_sigaction(SIGUSR1, &action, NULL);
    if (wh_signal(SIGUSR2, inner) != SIG_DFL || wh_signal(SIGUSR2, inner) != inner)
        return 4;
    errno = 0;
    raise(SIGUSR1);
    if (errno != ENOTTY)
        return 5;
    mark(2);
    wh_signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    mark(3);
    return 0;
}

/* --- models --- */

void wh_a_printf(int, const char *, ...);
void wh_a_sprintf(int, char *, const char *, ...);
void wh_a_snprintf(int, char *, size_t, const char *, ...);
void wh_b_vsnprintf(char *, size_t, const char *, va_list);
void wh_a_write(ssize_t, int, const void *, size_t);
void wh_a_fgetc(int, FILE *);
void wh_a_fgets(char *, char *, int, FILE *);
void wh_b_scanf(const char *, ...);
void wh_a_scanf(int, const char *, ...);
void wh_a_atof(double, const char *);
void wh_b_exit(int);
void wh_b_strtok(char *, const char *);
void wh_a_strtok(char *, char *, const char *);
void wh_b_realloc(void *, size_t);
void wh_a_realloc(void *, void *, size_t);
void wh_a_strcmp(int, const char *, const char *);

#define SHOW(name, at) printf("%s %llu\n", name, (unsigned long long)(uintptr_t)(at))

static int prints(void)
{
    const char *word = "word";
    int r = printf("a%5s|%d%%%-3c|%.2f\n", word, -42, 'x', 1.5);
    wh_a_printf(r, "a%5s|%d%%%-3c|%.2f\n", word, -42, 'x', 1.5);
    ssize_t n = write(1, "tail", 4);
    wh_a_write(n, 1, "tail", 4);
    return 0;
}

static int prints_to_memory(void)
{
    char text[16];
    const char *word = "abcdef";
    errno = EBADF;
    int r = snprintf(text, 8, "%d-%s-%g", 17, word, 0.1);
    feclearexcept(FE_ALL_EXCEPT);
    errno = EBADF;
    wh_a_snprintf(r, text, 8, "%d-%s-%g", 17, word, 0.1);
    wh_a_atof(0.1, "0.1"); /* finds where the number ends by reading it, which is inexact */
    wh_a_atof(HUGE_VAL, "1e9999");
    if (errno != EBADF || fetestexcept(FE_ALL_EXCEPT))
        return 4;
    SHOW("text", text);
    SHOW("word", word);
    return 0;
}

static int reads(void)
{
    char line[32];
    int number = 0, c;
    char word[8];
    c = getchar();
    wh_a_fgetc(c, stdin);
    wh_a_fgets(fgets(line, sizeof line, stdin), line, sizeof line, stdin);
    wh_b_scanf("%d %7s", &number, word);
    int r = scanf("%d %7s", &number, word);
    wh_a_scanf(r, "%d %7s", &number, word);
    c = getchar();
    wh_a_fgetc(c, stdin);
    SHOW("line", line);
    SHOW("number", &number);
    SHOW("word", word);
    wh_b_exit(6);
    _exit((fflush(stdout), 6));
}

static int strings(void)
{
    char text[] = ",one,,two";
    for (char *s = text, *r = text; r; s = NULL) {
        wh_b_strtok(s, ",");
        r = strtok(s, ",");
        wh_a_strtok(r, s, ",");
    }
    wh_a_strcmp(strcmp("abcd", "abxy"), "abcd", "abxy");
    char *old = malloc(24), *keep_in_place = malloc(24);
    wh_b_realloc(old, 4000);
    char *new = realloc(old, 4000);
    wh_a_realloc(new, old, 4000);
    SHOW("text", text);
    SHOW("old", old);
    SHOW("new", new);
    free(keep_in_place);
    return 0;
}

/* Format directives given on the command line: TYPE VALUE pairs, `i` int, `l` long, `s`, `f`, `L`. */
static int formats(int argc, char **argv)
{
    const char *f = argv[2];
    char text[4096];
    if (argc == 3) {
        int r = printf(f, 0);
        wh_a_printf(r, f, 0);
    } else if (argv[3][0] == 'i') {
        int v = atoi(argv[4]), w = atoi(argv[5]);
        int r = printf(f, w, v);
        wh_a_printf(r, f, w, v);
        wh_a_snprintf(snprintf(text, 9, f, w, v), text, 9, f, w, v);
    } else if (argv[3][0] == 'l') {
        long v = atol(argv[4]);
        wh_a_printf(printf(f, v, v), f, v, v);
    } else if (argv[3][0] == 's') {
        int w = atoi(argv[5]);
        wh_a_printf(printf(f, w, argv[4]), f, w, argv[4]);
    } else if (argv[3][0] == 'f') {
        double v = atof(argv[4]);
        wh_a_printf(printf(f, v, v), f, v, v);
    } else {
        long double v = strtold(argv[4], NULL);
        wh_a_printf(printf(f, v, v), f, v, v);
    }
    return 0;
}

/* --- patches --- */

static int patches(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        mark((uint64_t)i);
        int value = i;
        wh_store(&value, sizeof value, 0x1000005);
        if (wh_branch((unsigned char)(0xfe | (value % 2)), 0x1000007))
            sum += 100;
        sum += value;
    }
    printf("%d\n", sum);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
#define CASE(which, call)                                                                          \
    if (strcmp(name, which) == 0)                                                                  \
        return call;
    CASE("threads", threads())
    CASE("forks", forks())
    CASE("execs", execs(argv))
    CASE("fine", fine())
    CASE("killed", killed())
    CASE("long", long_run())
    CASE("crash", crash())
    CASE("overflow", overflow())
    CASE("aborts", aborts())
    CASE("aborts_with_handler", aborts_with_handler())
    CASE("survives", survives())
    CASE("handlers", handlers())
    CASE("prints", prints())
    CASE("prints_to_memory", prints_to_memory())
    CASE("reads", reads())
    CASE("strings", strings())
    CASE("formats", formats(argc, argv))
    CASE("patches", patches())
    return 99;
}
