/* Runs commands: here, prints them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

struct counters counters;
int dry_run, always, question;

static long clock_now = 1000;

static int run_line(const char *text, const struct file *file)
{
    int silent = file->silent, ignore = 0, status;
    char *line = expand(text, file), *at = line;
    for (;; at++) {
        if (*at == '@')
            silent = 1;
        else if (*at == '-')
            ignore = 1;
        else
            break;
    }
    if (!silent || dry_run)
        printf("%s\n", at);
    else
        counters.silent++;
    status = strncmp(at, "false", 5) == 0;
    free(line);
    if (status && !ignore)
        printf("*** %s: error%s\n", file->name, file->precious ? "" : ", deleted");
    counters.commands++;
    return status && !ignore;
}

int run_commands(struct file *file)
{
    int i, failed = 0;
    if (file->cmds != NULL)
        for (i = 0; i < file->cmds->count && !failed; i++)
            failed = run_line(file->cmds->lines[i], file);
    if (!failed && !file->phony) {
        file->mtime = clock_now++;
        if (!dry_run)
            set_disk_time(file->name, file->mtime);
    }
    return failed;
}
