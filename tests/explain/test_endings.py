"""Is a failure explained that a function without return, a signal handler or a child shows?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain

ERROR = """
     #include <err.h>
     #include <error.h>
     #include <sys/wait.h>
     #include <unistd.h>
     static int half(int n) {
    -    return n / 2;  // [fault]
    +    return n / 3;  // [fault]
     }
     int main(void) {
         int ended, child = fork();
         if (child == 0) {
             if (half(12) < 6)  // [asked]
                 errx(2, "too small");  // [fails]
             _exit(0);
         }
         waitpid(child, &ended, 0);
         if (ended)
             error(1, 0, "the child failed");
         return 0;
     }
"""
BECOMES_ANOTHER = """
     #include <stdio.h>
     #include <stdlib.h>
     #include <sys/wait.h>
     #include <unistd.h>
     static int half(int n) {
    -    return n / 2;  // [fault]
    +    return n / 3;  // [fault]
     }
     int main(int argc, char **argv) {
         int ended, child;
         if (argc > 1) {
             if (half(12) < 6)  // [asked]
                 quick_exit(2);  // [fails]
             return 0;
         }
         child = fork();
         if (child == 0) {
             execl("./program", "program", "child", (char *)0);
             _exit(127);
         }
         waitpid(child, &ended, 0);
         if (!WIFEXITED(ended) || WEXITSTATUS(ended)) {
             fprintf(stderr, "the child failed\\n");
             return 3;
         }
         return 0;
     }
"""
CLEANS_UP = """
     #include <signal.h>
     #include <stdio.h>
     #include <stdlib.h>
     static int table[4] = {3, 5, 7, 9};
     static void clean_up(int number) {
         fprintf(stderr, "internal error: signal %d\\n", number);
         abort();
     }
     static int *find(int key) {
    -    for (int i = 0; i < 4; i++)  // [fault]
    +    for (int i = 0; i < 3; i++)  // [fault]
             if (table[i] == key)
                 return &table[i];
         return NULL;
     }
     int main(void) {
         signal(SIGSEGV, clean_up);
         int *at = find(9);
         printf("%d\\n", *at);  // [fails]
         return 0;
     }
"""
JUMPS = """
     #include <setjmp.h>
     #include <signal.h>
     #include <stdio.h>
     static sigjmp_buf recovery;
     static void recover(int number) { siglongjmp(recovery, number); }
     static int share(const int *seats) {
         int left = seats ? *seats : 0;  // [chosen]
         return 100 / left;  // [fails]
     }
     int main(int argc, char **argv) {
         int seats = 4;
         signal(SIGFPE, recover);
         if (sigsetjmp(recovery, 1)) {
             puts("recovered");
             return 5;
         }
    -    int *known = argc > 0 ? &seats : 0;  // [fault]
    +    int *known = argc > 1 ? &seats : 0;  // [fault]
         return share(known) != 25;
     }
"""
REPLACES_ITSELF = """
     #include <stdlib.h>
     #include <unistd.h>
     static int half(int n) {
    -    return n / 2;  // [fault]
    +    return n / 3;  // [fault]
     }
     int main(void) {
         if (half(12) < 6)  // [asked]
             execlp("false", "false", (char *)0);  // [fails]
         return 0;
     }
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(ERROR, "the exit status 2 given by errx", id="error() after a child's errx()"),
        pytest.param(BECOMES_ANOTHER, "the exit status 2 given", id="a child that execs"),
        pytest.param(CLEANS_UP, "then the handler `clean_up` ran", id="a handler that aborts"),
        pytest.param(JUMPS, "SIGFPE", id="a handler that jumps out"),
        pytest.param(REPLACES_ITSELF, "of the program that execlp started", id="another program"),
    ],
)
def test_the_chain_ends_where_the_program_failed(tmp_path: Path, text: str, words: str) -> None:
    answer = explain(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.links[-1] == "fails"
    assert words in answer.chain[-1].says
    assert "chosen" in answer.links or "[chosen]" not in text
