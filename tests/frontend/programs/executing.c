// exec of itself: in a child, with other arguments and environment, then in this process; system.
// exit: 9
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc == 1) {
        printf("first\n"), fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            setenv("WHENCE_TEST_CHILD", "1", 1);
            execl(argv[0], argv[0], "child", (char *)NULL);
            _exit(99);
        }
        int status;
        waitpid(pid, &status, 0);
        printf("child ended %d, shell %d\n", WEXITSTATUS(status), WEXITSTATUS(system("exit 4")));
        fflush(stdout);
        execv(argv[0], (char *[]){argv[0], "self", "again", NULL});
        return 98;
    }
    printf("%s %d %s\n", argv[1], argc, getenv("WHENCE_TEST_CHILD") ? "has it" : "has not");
    return strcmp(argv[1], "child") == 0 ? 5 : 9;
}
