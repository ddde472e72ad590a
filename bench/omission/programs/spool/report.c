#include "spool.h"

#include <stdio.h>

static const char *const state_names[] = {"free", "waiting", "held", "printing", "done", "cancelled"};

const char *state_name(enum state state)
{
    return state_names[state];
}

static int average_wait(const struct spooler *spooler)
{
    int total = 0;
    int count = 0;

    for (int i = 0; i < spooler->job_count; i++) {
        const struct job *job = &spooler->jobs[i];
        if (job->state == STATE_DONE) {
            total += job->finished - job->submitted;
            count++;
        }
    }
    return count ? total / count : 0;
}

void report_jobs(const struct spooler *spooler)
{
    for (int i = 0; i < spooler->job_count; i++) {
        const struct job *job = &spooler->jobs[i];
        printf("%d %-9s %-8s %3d/%d", job->id, state_name(job->state),
               spooler->users[job->user].name, job->pages - job->left, job->pages);
        if (job->state == STATE_DONE)
            printf(" at %d", job->finished);
        printf("\n");
    }
}

void report_users(const struct spooler *spooler)
{
    for (int i = 0; i < spooler->user_count; i++) {
        const struct user *user = &spooler->users[i];
        printf("%-8s %d jobs, %d of %d cents\n", user->name, user->jobs, user->spent, user->budget);
    }
}

void report_printers(const struct spooler *spooler)
{
    for (int i = 0; i < spooler->printer_count; i++) {
        const struct printer *printer = &spooler->printers[i];
        printf("%-8s %d sheets, %d waiting\n", printer->name, printer->printed, waiting(spooler, i));
    }
    printf("wait %d, rejected %d\n", average_wait(spooler), spooler->rejected);
}
