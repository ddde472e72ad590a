/* A scheduler with three levels of ready queues, quanta, aging, and jobs that wait for a device.

   Arguments: the quantum of the highest level, and after how many ticks of waiting a job rises.
   Each line of the input is a job:  name arrival burst level [every blocked]
   where a job that has run for `every` ticks waits for its device for `blocked` ticks. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JOBS 16
#define MAX_SPANS 256
#define LEVELS 3
#define NEVER (-1)

struct job {
    char name[8];
    int arrival, burst, level;
    int every, blocked;     /* of its device; every is 0 if it has none */
    int base;               /* the level at which it came */
    int left;               /* ticks that it still has to run */
    int since;              /* ticks run since it last waited for its device */
    int wakes;              /* when its device is done */
    int patience;           /* ticks in the ready queue since it last ran or rose */
    int waited, asleep;     /* ticks in ready queues, and ticks on the device */
    int started, finished;
    struct job *next;
};

struct queue {
    struct job *head, *tail;
    int length;
};

struct span {
    const struct job *job; /* NULL: nothing ran */
    int from, to;
};

static struct job jobs[MAX_JOBS];
static int n_jobs;
static struct queue ready[LEVELS];
static struct queue asleep;
static struct job *running;
static int slice; /* ticks that the running job may still run */
static int now;
static int quantum = 2;
static int patience_limit = 8;
static int busy, idle, switches, done;
static struct span spans[MAX_SPANS];
static int n_spans;

/* --- queues ---------------------------------------------------------------------------------- */

static void append(struct queue *queue, struct job *job)
{
    job->next = NULL;
    if (queue->tail == NULL)
        queue->head = job;
    else
        queue->tail->next = job;
    queue->tail = job;
    queue->length++;
}

static void take_out(struct queue *queue, struct job *job)
{
    struct job *before = NULL;
    struct job *each = queue->head;
    while (each != job) {
        before = each;
        each = each->next;
    }
    if (before == NULL)
        queue->head = job->next;
    else
        before->next = job->next;
    if (queue->tail == job)
        queue->tail = before;
    queue->length--;
}

static void make_ready(struct job *job)
{
    job->patience = 0;
    append(&ready[job->level], job);
}

/* --- what happens before a tick -------------------------------------------------------------- */

static void admit(void)
{
    int i;
    for (i = 0; i < n_jobs; i++)
        if (jobs[i].arrival == now)
            make_ready(&jobs[i]);
}

static void wake(void)
{
    struct job *job = asleep.head;
    while (job != NULL) {
        struct job *next = job->next;
        if (job->wakes <= now) {
            take_out(&asleep, job);
            job->level = job->base;
            make_ready(job);
        }
        job = next;
    }
}

static void age(void)
{
    int level;
    for (level = 1; level < LEVELS; level++) {
        struct job *job = ready[level].head;
        while (job != NULL) {
            struct job *next = job->next;
            if (job->patience >= patience_limit) {
                take_out(&ready[level], job);
                job->level = level - 1;
                make_ready(job);
            }
            job = next;
        }
    }
}

static int best_level(void)
{
    int level;
    for (level = 0; level < LEVELS; level++)
        if (ready[level].length > 0)
            return level;
    return NEVER;
}

static int quantum_of(int level)
{
    return quantum << level;
}

static void dispatch(void)
{
    int level = best_level();
    if (running != NULL && level != NEVER && level < running->level) {
        make_ready(running);
        running = NULL;
    }
    if (running == NULL && level != NEVER) {
        running = ready[level].head;
        take_out(&ready[level], running);
        slice = quantum_of(level);
        if (running->started == NEVER)
            running->started = now;
        switches++;
    }
}

/* --- a tick ---------------------------------------------------------------------------------- */

static void note(const struct job *job)
{
    struct span *last = n_spans > 0 ? &spans[n_spans - 1] : NULL;
    if (last != NULL && last->job == job && last->to == now) {
        last->to++;
        return;
    }
    assert(n_spans < MAX_SPANS);
    spans[n_spans].job = job;
    spans[n_spans].from = now;
    spans[n_spans].to = now + 1;
    n_spans++;
}

static void wait_in_queues(void)
{
    int level;
    struct job *job;
    for (level = 0; level < LEVELS; level++)
        for (job = ready[level].head; job != NULL; job = job->next) {
            job->waited++;
            job->patience++;
        }
    for (job = asleep.head; job != NULL; job = job->next)
        job->asleep++;
}

static void finish(struct job *job)
{
    job->finished = now + 1;
    done++;
    running = NULL;
}

static void sleep_on_device(struct job *job)
{
    job->since = 0;
    job->wakes = now + 1 + job->blocked;
    append(&asleep, job);
    running = NULL;
}

static void preempt(struct job *job)
{
    if (job->level < LEVELS - 1)
        job->level++;
    make_ready(job);
    running = NULL;
}

static void tick(void)
{
    struct job *job = running;
    note(job);
    wait_in_queues();
    if (job == NULL) {
        idle++;
    } else {
        busy++;
        job->left--;
        job->since++;
        slice--;
        if (job->left == 0)
            finish(job);
        else if (job->every > 0 && job->since >= job->every)
            sleep_on_device(job);
        else if (slice == 0)
            preempt(job);
    }
    now++;
}

static void simulate(void)
{
    while (done < n_jobs) {
        admit();
        wake();
        age();
        dispatch();
        tick();
    }
}

/* --- input and output ------------------------------------------------------------------------ */

static int read_jobs(void)
{
    char line[128];
    while (n_jobs < MAX_JOBS && fgets(line, sizeof line, stdin) != NULL) {
        struct job *job = &jobs[n_jobs];
        int fields = sscanf(line, "%7s %d %d %d %d %d", job->name, &job->arrival, &job->burst,
                            &job->level, &job->every, &job->blocked);
        if (fields < 4 || job->burst < 1 || job->level < 0 || job->level >= LEVELS)
            return 0;
        job->base = job->level;
        job->left = job->burst;
        job->started = NEVER;
        n_jobs++;
    }
    return n_jobs > 0;
}

static void check(void)
{
    int i, all = 0;
    for (i = 0; i < n_jobs; i++) {
        const struct job *job = &jobs[i];
        assert(job->started >= job->arrival);
        assert(job->finished - job->arrival == job->burst + job->waited + job->asleep);
        all += job->burst;
    }
    assert(all == busy);
    assert(busy + idle == now);
    for (i = 1; i < n_spans; i++)
        assert(spans[i].from == spans[i - 1].to);
}

static void show_spans(void)
{
    int i;
    for (i = 0; i < n_spans; i++)
        printf("%s%s:%d-%d", i ? " " : "", spans[i].job ? spans[i].job->name : "-", spans[i].from,
               spans[i].to);
    printf("\n");
}

static void show_jobs(void)
{
    int i, turnaround = 0, waited = 0, worst = 0;
    for (i = 0; i < n_jobs; i++) {
        const struct job *job = &jobs[i];
        int whole = job->finished - job->arrival;
        printf("%s response %d waited %d asleep %d turnaround %d\n", job->name,
               job->started - job->arrival, job->waited, job->asleep, whole);
        turnaround += whole;
        waited += job->waited;
        if (job->waited > jobs[worst].waited)
            worst = i;
    }
    printf("mean turnaround %d.%02d\n", turnaround / n_jobs, turnaround * 100 / n_jobs % 100);
    printf("mean wait %d.%02d, worst %s\n", waited / n_jobs, waited * 100 / n_jobs % 100,
           jobs[worst].name);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        quantum = atoi(argv[1]);
    if (argc > 2)
        patience_limit = atoi(argv[2]);
    if (quantum < 1 || patience_limit < 1 || !read_jobs()) {
        printf("bad input\n");
        return 2;
    }
    simulate();
    check();
    show_spans();
    show_jobs();
    printf("busy %d idle %d switches %d\n", busy, idle, switches);
    return 0;
}
