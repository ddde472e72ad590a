#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "list.h"

struct flags { unsigned low : 3; unsigned high : 5; };
static int total = 7;

static int fact(int n) {
    if (n <= 1)
        return 1;
    return n * fact(n - 1);
}
static int counter(void) {
    static int calls = 10;
    calls += 2;
    return calls;
}
static int compare(const void *a, const void *b) {
    const int *p = *(const int *const *)a, *q = *(const int *const *)b;
    return *p - *q;
}
static void leave(int status) {
    if (status > 2)
        exit(status);
}
static int deep(int n) {
    char room[4096];
    room[0] = (char)n;
    return deep(n + 1) + room[0];
}
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int unrelated = 5;
    int *nothing = NULL;
    int zero = unrelated - 5;
    if (!strcmp(what, "null"))
        return *nothing;
    if (!strcmp(what, "wild")) {
        int *wild = (int *)(0x1000 + (long)zero);
        *wild = 3;
    }
    if (!strcmp(what, "div"))
        return 100 / zero;
    if (!strcmp(what, "deep"))
        return deep(1);
    if (!strcmp(what, "strlen")) {
        const char *name = getenv("NO_SUCH_NAME_HERE");
        return (int)strlen(name);
    }
    if (!strcmp(what, "qsort")) {
        int a = 1, b = 2;
        int *items[3] = {&a, &b, NULL};
        qsort(items, 3, sizeof *items, compare);
    }
    if (!strcmp(what, "assert")) {
        int limit = 3;
        limit = limit * 2;
        assert(limit < 5 && "limit");
    }
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "exit"))
        leave(3);
    if (!strcmp(what, "_exit"))
        _exit(argc + 2);
    if (!strcmp(what, "return"))
        return fact(3);
    if (!strcmp(what, "list")) {
        struct node *p = push(push(push(NULL, 3), 2), 1);
        int table[4] = {1, 2, 3, 4};
        struct flags f = {1, 2};
        f.high = fact(4);
        table[2] = SQUARE(total);
        total = p->next->key +
                table[2] +
                f.high;
        printf("%d %s %c\n", total, what, 'x');
        puts("two");
        putchar('0' + counter());
        putchar('\n');
        fflush(stdout);
        char line[40];
        snprintf(line, sizeof line, "n=%d", first_key(p->next->next));
        strcat(line, "!\n");
        write(1, line, strlen(line));
        fwrite(line, 1, 2, stdout);
    }
    return 0;
}
