// Signals: a handler that sets a flag, one on its own stack, a fault that is survived, a timer.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t flag, count;
static sigjmp_buf retry;

static void set_flag(int number) { flag = number; count++; }
static void nest(int number) { if (number == SIGUSR2) raise(SIGUSR1); count += 10; }
static void survive(int number, siginfo_t *info, void *context) {
    (void)context;
    siglongjmp(retry, number == SIGSEGV && info->si_signo == number ? 1 : 2);
}

static void handle(int number, void (*with)(int)) {
    struct sigaction action = {.sa_handler = with};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

int main(void) {
    signal(SIGUSR1, set_flag);
    raise(SIGUSR1);
    printf("%d %d\n", flag == SIGUSR1, (int)count);
    handle(SIGUSR2, nest);
    kill(getpid(), SIGUSR2);
    printf("%d\n", (int)count);

    static char room[64 * 1024];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = survive, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 3; i++) {
        int *volatile nowhere = NULL;
        int how = sigsetjmp(retry, 1);
        if (how == 0) *nowhere = i;
        else printf("survived %d %d\n", i, how);
    }

    sigset_t blocked, pending;
    sigemptyset(&blocked), sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    raise(SIGUSR1);
    sigpending(&pending);
    printf("%d %d\n", sigismember(&pending, SIGUSR1), (int)count);
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
    printf("%d\n", (int)count);
    signal(SIGUSR1, SIG_IGN), raise(SIGUSR1);

    handle(SIGALRM, set_flag);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 20000}, NULL);
    unsigned long spins = 0;
    while (flag != SIGALRM) spins++; // interrupted at an arbitrary instruction
    printf("%d %d\n", (int)count, spins > 0);
    return 0;
}
