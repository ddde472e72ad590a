/* Schedules jobs: lines "NAME PRIORITY DURATION [ARRIVAL]" on standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_JOBS 10
#define SLICE 3
#define PATIENCE 8

struct job {
    char name;
    int priority;
    int left;
    int arrival;
    int waited;
    int boosted;
};

static struct job jobs[MAX_JOBS];
static int n_jobs;

static const char *next_number(const char *text, int *number)
{
    int value = 0, digits = 0;
    while (*text == ' ')
        text++;
    while (*text >= '0' && *text <= '9') {
        value = value * 10 + (*text - '0');
        text++;
        digits++;
    }
    if (digits == 0)
        return NULL;
    *number = value;
    return text;
}

static int read_job(const char *line)
{
    struct job *job = &jobs[n_jobs];
    const char *at = line;
    if (n_jobs == MAX_JOBS)
        return 0;
    if (*at < 'A' || *at > 'Z')
        return 0;
    job->name = *at++;
    at = next_number(at, &job->priority);
    if (at == NULL || job->priority > 9)
        return 0;
    at = next_number(at, &job->left);
    if (at == NULL || job->left == 0)
        return 0;
    job->arrival = 0;
    if (*at == ' ' && next_number(at, &job->arrival) == NULL)
        return 0;
    job->waited = 0;
    job->boosted = 0;
    n_jobs++;
    return 1;
}

static int rank(const struct job *job)
{
    int rank = job->priority;
    if (job->boosted)
        rank += 5;
    return rank;
}

static struct job *choose(int now)
{
    struct job *best = NULL;
    int i;
    for (i = 0; i < n_jobs; i++) {
        struct job *job = &jobs[i];
        if (job->left == 0 || job->arrival > now)
            continue;
        if (best == NULL || rank(job) > rank(best))
            best = job;
    }
    return best;
}

static void age(const struct job *running, int now, int slice)
{
    int i;
    for (i = 0; i < n_jobs; i++) {
        struct job *job = &jobs[i];
        if (job == running || job->left == 0 || job->arrival > now)
            continue;
        job->waited += slice;
        if (job->waited >= PATIENCE)
            job->boosted = 1;
    }
}

static int remaining(void)
{
    int total = 0, i;
    for (i = 0; i < n_jobs; i++)
        total += jobs[i].left;
    return total;
}

static int simulate(void)
{
    int now = 0;
    while (remaining() > 0) {
        struct job *job = choose(now);
        int slice;
        if (job == NULL) {
            now++;
            continue;
        }
        slice = job->left < SLICE ? job->left : SLICE;
        printf("%d %c %d\n", now, job->name, slice);
        job->left -= slice;
        job->waited = job->boosted = 0;
        age(job, now, slice);
        now += slice;
    }
    return now;
}

int main(void)
{
    char line[40];
    int bad = 0, end;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (line[0] == '\n' || line[0] == '#')
            continue;
        if (!read_job(line))
            bad++;
    }
    end = simulate();
    printf("end %d, bad lines %d\n", end, bad);
    return 0;
}
