#include "spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct spooler spooler;

static int submit(const struct command *command)
{
    int user = find_user(&spooler, command->words[0]);
    int printer = find_printer(&spooler, command->words[1]);
    int flags = command->count > 3 ? flags_of(command->words[3]) : 0;
    int id;
    struct job *job;

    if (user < 0 || printer < 0)
        return -1;
    id = add_job(&spooler, user, printer, command->numbers[2], flags);
    if (id < 0)
        return -1;
    job = job_of(&spooler, id);
    if (!can_pay(&spooler.users[user], price(job))) {
        job->state = STATE_CANCELLED;
        spooler.rejected++;
        return 0;
    }
    charge(&spooler.users[user], price(job));
    return id;
}

static int cancel(int id)
{
    struct job *job = job_of(&spooler, id);

    if (!job)
        return 0;
    if (job->state == STATE_PRINTING)
        spooler.printers[job->printer].current = -1;
    else if (job->state != STATE_WAITING && job->state != STATE_HELD)
        return 0;
    job->state = STATE_CANCELLED;
    refund(&spooler, job);
    return 1;
}

static int execute(const struct command *command)
{
    switch (command->verb) {
    case VERB_PRINTER:
        return add_printer(&spooler, command->words[0], command->numbers[1], command->numbers[2]) >= 0;
    case VERB_JOB:
        return submit(command) >= 0;
    case VERB_HOLD:
        return set_state(&spooler, command->numbers[0], STATE_WAITING, STATE_HELD);
    case VERB_RELEASE:
        return set_state(&spooler, command->numbers[0], STATE_HELD, STATE_WAITING);
    case VERB_CANCEL:
        return cancel(command->numbers[0]);
    case VERB_TICK:
        advance(&spooler, command->numbers[0]);
        return 1;
    case VERB_BUDGET: {
        int user = find_user(&spooler, command->words[0]);
        if (user < 0)
            return 0;
        spooler.users[user].budget = command->numbers[1];
        return 1;
    }
    case VERB_REPORT:
        report_jobs(&spooler);
        report_users(&spooler);
        report_printers(&spooler);
        return 1;
    default:
        return 0;
    }
}

int main(void)
{
    char line[256];
    int number = 0;
    int failures = 0;

    while (fgets(line, sizeof line, stdin)) {
        struct command command;
        int read = read_command(line, &command);
        number++;
        if (read == 0)
            continue;
        if (read < 0) {
            printf("line %d: what?\n", number);
            failures++;
        } else if (!execute(&command)) {
            printf("line %d: refused\n", number);
            failures++;
        }
    }
    printf("%d jobs, %d failures\n", spooler.job_count, failures);
    return failures > 3;
}
