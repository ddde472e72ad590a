/* Ends in the way that its first argument names; the second argument is the exit status. */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int status;
static int *nothing;
static sigjmp_buf out;
static void (*leave)(int) = exit;

static void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    verrx(status, format, list);
}

static void at_exit(void) { _exit(status); }
static void tidy(void) { }
static void *thread(void *argument) { (void)argument; errx(status, "thread"); }
static void caught(int number) { (void)number; _exit(status); }
static void cleaned(int number) { fprintf(stderr, "signal %d\n", number); abort(); }
static void again(int number) { signal(number, SIG_DFL); raise(number); }
static void jumped(int number) { siglongjmp(out, number); }
static int is(const char *way, const char *name) { return strcmp(way, name) == 0; }

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "return";
    status = argc > 2 ? atoi(argv[2]) : 3;
    atexit(tidy);
    if (is(way, "exit")) exit(status);
    if (is(way, "error")) error(status, 0, "failed");
    if (is(way, "error_at_line")) error_at_line(status, 0, "file", 7, "failed");
    if (is(way, "err")) err(status, "failed");
    if (is(way, "errx")) errx(status, "failed");
    if (is(way, "verrx")) fail("failed");
    if (is(way, "quick_exit")) quick_exit(status);
    if (is(way, "_Exit")) _Exit(status);
    if (is(way, "_exit")) _exit(status);
    if (is(way, "pointer")) leave(status);
    if (is(way, "atexit")) { atexit(at_exit); return 0; }
    if (is(way, "exec")) { execl("/nonexistent", "x", (char *)NULL); err(status, "exec"); }
    if (is(way, "thread")) {
        pthread_t other;
        pthread_create(&other, NULL, thread, NULL);
        pthread_join(other, NULL);
    }
    if (is(way, "child")) {
        int ended, pid = fork();
        if (pid == 0)
            errx(status, "child");
        waitpid(pid, &ended, 0);
        return WEXITSTATUS(ended);
    }
    if (is(way, "syscall")) syscall(SYS_exit_group, status);
    if (is(way, "raise")) raise(SIGTERM);
    if (is(way, "caught")) signal(SIGSEGV, caught);
    if (is(way, "cleaned")) signal(SIGSEGV, cleaned);
    if (is(way, "again")) signal(SIGSEGV, again);
    if (is(way, "jumped")) {
        signal(SIGSEGV, jumped);
        if (sigsetjmp(out, 1))
            return status;
    }
    if (is(way, "jumped from strlen")) {
        signal(SIGSEGV, jumped);
        if (sigsetjmp(out, 1))
            exit(status);
        return (int)strlen((char *)nothing);
    }
    if (!is(way, "return"))
        return *nothing; /* the fault */
    return status;
}
