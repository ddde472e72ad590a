/* Which of three jobs runs last? Each has a priority; a job may be blocked once. */
#include <stdio.h>
#include <stdlib.h>

struct job { int id, priority, is_blocked; };
static struct job jobs[3];
static int steps;

static int next_job(void) {
    int best = -1;
    for (int k = 0; k < 3; k++)
        if (jobs[k].priority > 0 && !jobs[k].is_blocked)
            if (best < 0 || jobs[k].priority > jobs[best].priority)
                best = k;
    return best;
}
int main(int argc, char **argv) {
    if (argc < 5) return 2;
    for (int k = 0; k < 3; k++)
        jobs[k] = (struct job){k, atoi(argv[k + 1]), 0};
    int blocked = atoi(argv[4]), last = -1, at;
    if (blocked >= 0 && blocked < 3) jobs[blocked].is_blocked = 1;
    while ((at = next_job()) >= 0) {
        last = jobs[at].id;
        jobs[at].priority = 0;
        if (++steps == 2) for (int k = 0; k < 3; k++) jobs[k].is_blocked = 0;
    }
    if (steps > 2) fprintf(stderr, "all ran\n");
    printf("%d\n", last);
    return 0;
}
