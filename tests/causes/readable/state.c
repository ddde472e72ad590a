#include <stdbool.h>
#include <stdio.h>
enum state { IDLE, RUNNING, DONE };
struct job { enum state state; unsigned priority : 3; bool urgent; char tag; };
static bool ready(const struct job *j)
{
    return j->state == IDLE && (j->urgent || j->priority > 4);  //- return j->state == IDLE && (j->urgent || j->priority >= 4);
}
static int start(struct job *jobs, int n)
{
    int started = 0;
    for (int i = 0; i < n; ++i)
        if (ready(&jobs[i]) && jobs[i].tag != 'x') {
            jobs[i].state = RUNNING;
            started++;
        }
    return started;
}
int main(void)
{
    struct job jobs[] = {{IDLE, 4, false, 'a'}, {DONE, 7, true, 'b'}, {IDLE, 1, true, 'x'}};
    int n = start(jobs, 3);
    if (n < 1 || jobs[0].state != RUNNING)
        return 1;
    return 0;
}
//? why: `n < 1 || jobs[0].state != RUNNING` was true
//? why: ready(&jobs[i]) && jobs[i].tag != 'x'
//? why: n = 0
