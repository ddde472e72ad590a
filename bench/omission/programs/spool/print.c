#include "spool.h"

#include <stdio.h>

int sheets(const struct job *job)
{
    int printed = job->pages - job->left;

    if (job->flags & IS_DUPLEX)
        return (printed + 1) / 2;
    return printed;
}

void start_job(struct spooler *spooler, struct printer *printer, int index)
{
    struct job *job = &spooler->jobs[index];

    job->state = STATE_PRINTING;
    printer->current = index;
}

static void finish_job(struct spooler *spooler, struct printer *printer)
{
    struct job *job = &spooler->jobs[printer->current];

    job->state = STATE_DONE;
    job->finished = spooler->now;
    printer->printed += sheets(job);
    printer->current = -1;
}

static int pages_per_tick(const struct printer *printer, const struct job *job)
{
    int pages = printer->speed;

    if (job->flags & IS_COLOUR)
        pages = pages / 2;
    if (pages == 0)
        pages = 1;
    return pages;
}

static void step(struct spooler *spooler, int which)
{
    struct printer *printer = &spooler->printers[which];
    struct job *job;

    if (spooler->now < printer->ready_at)
        return;
    if (printer->current < 0) {
        int index = next_job(spooler, which);
        if (index < 0)
            return;
        start_job(spooler, printer, index);
    }
    job = &spooler->jobs[printer->current];
    job->left -= pages_per_tick(printer, job);
    if (job->left <= 0) {
        job->left = 0;
        finish_job(spooler, printer);
    }
}

void advance(struct spooler *spooler, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        spooler->now++;
        for (int which = 0; which < spooler->printer_count; which++)
            step(spooler, which);
    }
}
