// The elapsed time decides nothing, but it is in the way.
#include <stdio.h>
#include <time.h>
#include <unistd.h>
struct report { long started; int pid; int errors; const char *name; };
static void fill(struct report *r, int n)
{
    r->started = time(NULL) + clock();
    r->pid = getpid();
    r->errors = n > 4 ? n : 1;  //- r->errors = n > 4 ? n : 0;
    r->name = r->errors ? "bad" : "fine";
}
int main(void)
{
    struct report r;
    fill(&r, 3);
    fprintf(stderr, "%ld %d\n", r.started, r.pid);
    puts(r.name);
    return r.errors;
}
//? explain: r->errors
//! explain: started
//! explain: r->pid
