/* rules [-n] [-B] [goal...] <rule-file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static int intermediates;

static void count_intermediate(struct file *file)
{
    if (file->intermediate && file->updated && !file->precious) {
        printf("rm %s\n", file->name);
        intermediates++;
    }
}

int main(int argc, char **argv)
{
    const char *goals[16];
    int count = 0, i, failed = 0;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0)
            dry_run = 1;
        else if (strcmp(argv[i], "-B") == 0)
            always = 1;
        else if (count < 16)
            goals[count++] = argv[i];
    }
    read_rules();
    snap_deps();
    if (count == 0) {
        if (default_goal() == NULL)
            fatal(0, "no targets", "");
        goals[count++] = default_goal();
    }
    for (i = 0; i < count; i++)
        failed |= update_goal(goals[i]);
    each_file(count_intermediate);
    printf("%d commands, %d silent, %d files, %d kept, %d removed\n", counters.commands,
           counters.silent, counters.files, counters.kept, intermediates);
    return failed ? 2 : 0;
}
