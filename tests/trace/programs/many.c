#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int seen;
static int shared;
static void handler(int signo) {
    seen = signo * 2;
}
static void *work(void *argument) {
    int *n = argument;
    *n = *n * 3;
    return NULL;
}
int main(int argc, char **argv) {
    if (!strcmp(argv[1], "fork")) {
        pid_t child = fork();
        if (child == 0) {
            int code = 40 + argc;
            printf("child\n");
            exit(code);
        }
        int status;
        waitpid(child, &status, 0);
        printf("parent %d\n", WEXITSTATUS(status));
        return WEXITSTATUS(status) == 42;
    }
    if (!strcmp(argv[1], "thread")) {
        pthread_t thread;
        shared = 7;
        pthread_create(&thread, NULL, work, &shared);
        pthread_join(thread, NULL);
        printf("%d\n", shared);
        return shared == 21;
    }
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    printf("%d\n", seen);
    return seen == 20;
}
