/* Runs jobs from three lanes of priority; a job that waits too long moves up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 3
#define PATIENCE 4

struct job {
    int id;
    int work;
    int lane;
    int since;
    struct job *next;
};

struct lane {
    struct job *first;
    struct job *last;
    int count;
};

static struct lane lanes[LANES];
static struct job *blocked;
static int now, next_id = 1;

static void append(struct lane *lane, struct job *job)
{
    job->next = NULL;
    if (lane->last)
        lane->last->next = job;
    else
        lane->first = job;
    lane->last = job;
    lane->count++;
}

static struct job *take_first(struct lane *lane)
{
    struct job *job = lane->first;

    if (!job)
        return NULL;
    lane->first = job->next;
    if (!lane->first)
        lane->last = NULL;
    lane->count--;
    return job;
}

static struct job *take_nth(struct lane *lane, int n)
{
    struct job *before = NULL;
    struct job *job = lane->first;

    while (job && n-- > 0) {
        before = job;
        job = job->next;
    }
    if (!job)
        return NULL;
    if (!before)
        return take_first(lane);
    before->next = job->next;
    if (lane->last == job)
        lane->last = before;
    lane->count--;
    return job;
}

static void add(int lane, int work)
{
    struct job *job = calloc(1, sizeof *job);

    job->id = next_id++;
    job->work = work;
    job->lane = lane;
    job->since = now;
    append(&lanes[lane], job);
}

static void promote(void)
{
    for (int lane = 1; lane < LANES; lane++) {
        struct job *job = lanes[lane].first;
        if (job && now - job->since >= PATIENCE && lanes[lane - 1].count < 3) {
            job = take_first(&lanes[lane]);
            job->lane = lane - 1;
            job->since = now;
            append(&lanes[lane - 1], job);
        }
    }
}

static void block(int lane, int n)
{
    struct job *job = take_nth(&lanes[lane], n);

    if (job) {
        job->next = blocked;
        blocked = job;
    }
}

static void unblock(void)
{
    struct job *job = blocked;

    if (job) {
        blocked = job->next;
        job->since = now;
        append(&lanes[job->lane], job);
    }
}

static int run_one(void)
{
    for (int lane = 0; lane < LANES; lane++) {
        struct job *job = lanes[lane].first;
        if (!job)
            continue;
        job->work--;
        if (job->work > 0 && job->lane > 0) {
            append(&lanes[lane], take_first(&lanes[lane]));
        } else if (job->work <= 0) {
            job = take_first(&lanes[lane]);
            printf("%d: job %d done\n", now, job->id);
            free(job);
        }
        return 1;
    }
    return 0;
}

int main(void)
{
    char what;
    int a, b;

    while (scanf(" %c%d,%d", &what, &a, &b) == 3) {
        if (what == 'a')
            add(a, b);
        else if (what == 'b')
            block(a, b);
        else if (what == 'u')
            unblock();
        else
            while (a-- > 0) {
                now++;
                promote();
                run_one();
            }
    }
    for (int lane = 0; lane < LANES; lane++)
        printf("lane %d: %d\n", lane, lanes[lane].count);
    return 0;
}
