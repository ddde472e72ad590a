/* A scheduler with three queues.  Standard input has commands: "add NAME PRIORITY", "run", "drop NAME", "age". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job { char name[16]; int age; struct job *next; };
static struct job *queues[3];

static void append(int level, struct job *job) {
    struct job **end = &queues[level];
    while (*end)
        end = &(*end)->next;
    job->next = NULL;
    *end = job;
}

static struct job *take(int level) {
    struct job *first = queues[level];
    if (first)
        queues[level] = first->next;
    return first;
}

static void drop(const char *name) {
    for (int level = 0; level < 3; level++)
        for (struct job **at = &queues[level]; *at; at = &(*at)->next)
            if (!strcmp((*at)->name, name)) {
                struct job *gone = *at;
                *at = gone->next;
                free(gone);
                return;
            }
    printf("no job %s\n", name);
}

int main(void) {
    char line[80], word[16], name[16];
    int level;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s", word) != 1)
            continue;
        if (strcmp(word, "add") == 0) {
            if (sscanf(line, "%15s %15s %d", word, name, &level) != 3 || level < 0 || level > 2) {
                fprintf(stderr, "bad add\n");
                continue;
            }
            struct job *job = calloc(1, sizeof *job);
            strcpy(job->name, name);
            append(level, job);
        } else if (strcmp(word, "run") == 0) {
            struct job *job = NULL;
            for (level = 2; level >= 0 && !job; level--)
                job = take(level);
            if (job) {
                printf("run %s\n", job->name);
                free(job);
            } else
                printf("idle\n");
        } else if (strncmp(word, "drop", 4) == 0) {
            if (sscanf(line, "%*s %15s", name) == 1)
                drop(name);
        } else if (strcmp(word, "age") == 0) {
            struct job *job = take(0);
            if (job)
                append(1, job);
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
