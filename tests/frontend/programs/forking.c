// Processes: fork, wait for statuses and signals, pipes between them, a child of a child.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared = 1;

static int child(int n, int out) {
    shared += n;
    if (n == 2) {
        pid_t grandchild = fork();
        if (grandchild == 0) _exit(shared);
        int status;
        waitpid(grandchild, &status, 0);
        shared += WEXITSTATUS(status);
    }
    write(out, &shared, sizeof shared);
    if (n == 3) raise(SIGKILL);
    return shared;
}

int main(void) {
    printf("before\n");
    fflush(stdout);
    int ends[2];
    if (pipe(ends)) return 1;
    for (int n = 0; n < 4; n++) {
        pid_t pid = fork();
        if (pid == 0) exit(child(n, ends[1]));
        int status, sent;
        waitpid(pid, &status, 0);
        read(ends[0], &sent, sizeof sent);
        printf("%d: %d %d %d\n", n, sent, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
               WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        fflush(stdout);
    }
    printf("%d\n", shared);
    return 0;
}
