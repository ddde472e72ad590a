#include "spool.h"

#include <stdio.h>
#include <string.h>

int find_printer(struct spooler *spooler, const char *name)
{
    for (int i = 0; i < spooler->printer_count; i++) {
        if (strcmp(spooler->printers[i].name, name) == 0)
            return i;
    }
    return -1;
}

int add_printer(struct spooler *spooler, const char *name, int speed, int warmup)
{
    struct printer *printer;

    if (spooler->printer_count == MAX_PRINTERS || find_printer(spooler, name) >= 0)
        return -1;
    printer = &spooler->printers[spooler->printer_count];
    snprintf(printer->name, NAME_SIZE, "%s", name);
    printer->speed = speed > 0 ? speed : 1;
    printer->warmup = warmup;
    printer->ready_at = spooler->now + warmup;
    printer->current = -1;
    return spooler->printer_count++;
}

static int priority_of(int pages, int flags)
{
    int priority = 10;

    if (flags & IS_URGENT)
        priority += 20;
    if (pages > 20)
        priority -= 5;
    return priority;
}

int add_job(struct spooler *spooler, int user, int printer, int pages, int flags)
{
    struct job *job;

    if (spooler->job_count == MAX_JOBS || pages <= 0)
        return -1;
    job = &spooler->jobs[spooler->job_count];
    job->id = 100 + spooler->job_count;
    job->state = STATE_WAITING;
    job->user = user;
    job->printer = printer;
    job->pages = pages;
    job->left = pages;
    job->flags = flags;
    job->priority = priority_of(pages, flags);
    job->submitted = spooler->now;
    spooler->job_count++;
    return job->id;
}

int next_job(const struct spooler *spooler, int printer)
{
    int best = -1;

    for (int i = 0; i < spooler->job_count; i++) {
        const struct job *job = &spooler->jobs[i];
        if (job->state != STATE_WAITING || job->printer != printer)
            continue;
        if (best < 0 || job->priority > spooler->jobs[best].priority)
            best = i;
    }
    return best;
}

struct job *job_of(struct spooler *spooler, int id)
{
    int index = id - 100;

    if (index < 0 || index >= spooler->job_count)
        return NULL;
    return &spooler->jobs[index];
}

int set_state(struct spooler *spooler, int id, enum state from, enum state to)
{
    struct job *job = job_of(spooler, id);

    if (!job || job->state != from)
        return 0;
    job->state = to;
    return 1;
}

int waiting(const struct spooler *spooler, int printer)
{
    int count = 0;

    for (int i = 0; i < spooler->job_count; i++) {
        if (spooler->jobs[i].state == STATE_WAITING && spooler->jobs[i].printer == printer)
            count++;
    }
    return count;
}
