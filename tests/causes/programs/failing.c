// Ways to fail; the argument selects one by its index in `cases`.
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int asserts(int given) {
    int left = 3 - given;                           // [set]
    assert(left == 0);                              // [failure]
    return 0;
}

static int aborts(int given) {
    int left = 3 - given;                           // [set]
    if (left == 1)                                  // [failure]
        abort();                                    // [abort]
    return 0;
}

static void give_up(void) {
    abort();                                        // [abort]
}

static int aborts_in_callee(int given) {
    int left = 3 - given;                           // [set]
    if (left == 1)                                  // [failure]
        give_up();                                  // [call]
    return 0;
}

static int aborts_always(int given) {
    (void)given;
    abort();                                        // [failure]
}

struct node {
    int value;
    struct node *next;
};

static struct node *find(struct node *at, int value) {
    while (at && at->value != value)                // [loop]
        at = at->next;                              // [next]
    return at;                                      // [found]
}

static int null_pointer(int given) {
    struct node last = {2, 0}, first = {1, &last};  // [nodes]
    struct node *found = find(&first, given + 1);   // [find]
    return found->value;                            // [failure]
}

static int wild_pointer(int given) {
    long where = 16;                                // [set]
    if (given == 2)                                 // [if]
        where = where * 256;                        // [scale]
    int *at = (int *)where;                         // [cast]
    *at = 1;                                        // [failure]
    return 0;
}

static int mean(int sum, int count) {
    return sum / count;                             // [failure]
}

static int divides(int given) {
    int count = 0;                                  // [count]
    if (given > 5)                                  // [if]
        count = given;
    return mean(given, count);                      // [call]
}

static void finish(int status) {
    exit(status);                                   // [failure]
}

static int exits(int given) {
    int wrong = given - 2;                          // [wrong]
    if (given > 1)                                  // [if]
        wrong += 3;                                 // [more]
    finish(wrong);                                  // [call]
    return 0;
}

static int returns(int given) {
    int wrong = given + 3;                          // [wrong]
    return wrong;                                   // [failure]
}

static int measures_nothing(int given) {
    char *name = getenv("WHENCE_HAS_NO_SUCH_NAME"); // [name]
    if (given > 5)                                  // [if]
        name = "given";
    return (int)strlen(name);                       // [failure]
}

static char *room(int size) {
    return size > 3 ? NULL : malloc(size);          // [room]
}

static int copies_to_nowhere(int given) {
    char *into = room(given + 3);                   // [into]
    strcpy(into, "text");                           // [failure]
    return into[0];
}

static int down(int left) {
    if (left == 0)                                  // [stop]
        return 0;
    return 1 + down(left - 2);                      // [failure]
}

static int runs_out_of_stack(int given) {
    return down(given + 1);                         // [call]
}

static jmp_buf back;

static void check(int value) {
    if (value > 2)                                  // [if]
        longjmp(back, value);                       // [jump]
}

static int jumps(int given) {
    int got = setjmp(back);                         // [land]
    if (got == 0)
        check(given + 1);                           // [call]
    assert(got == 2);                               // [failure]
    return 0;
}

static int frees_twice(int given) {
    char *text = strdup("text");                    // [text]
    if (given < 50)                                 // [if]
        free(text);                                 // [freed]
    free(text);                                     // [failure]
    return 0;
}

static int fails_in_child(int given) {
    int value = given + 1, status = 0;              // [value]
    if (fork() == 0) {                              // [fork]
        assert(value == 2);                         // [failure]
        _exit(0);
    }
    wait(&status);
    return status != 0;
}

static int raises(int given) {
    if (given == 2)                                 // [if]
        raise(SIGTERM);                             // [failure]
    return 0;
}

static int (*const cases[])(int) = {
    asserts, aborts, aborts_in_callee, aborts_always, null_pointer, wild_pointer, divides, exits,
    returns, measures_nothing, copies_to_nowhere, runs_out_of_stack, jumps, frees_twice, fails_in_child, raises,
};

int main(int argc, char **argv) {
    return cases[atoi(argv[1])](argc);              // [main]
}
