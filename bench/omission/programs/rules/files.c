/* The table of all files, and what special targets say about them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rules.h"

#define BUCKETS 31
#define MAX_DISK 64

static struct file *files[BUCKETS];

static struct {
    char name[32];
    long time;
} disk[MAX_DISK];
static int disk_count;

static unsigned int hash(const char *name)
{
    unsigned int value = 0;
    while (*name != '\0')
        value = value * 33 + (unsigned char)*name++;
    return value % BUCKETS;
}

struct file *lookup_file(const char *name)
{
    struct file *file;
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    for (file = files[hash(name)]; file != NULL; file = file->next)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

struct file *enter_file(const char *name)
{
    struct file *file = lookup_file(name);
    unsigned int bucket;
    if (file != NULL)
        return file;
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    file = xmalloc(sizeof *file);
    bzero(file, sizeof *file);
    file->name = xstrdup(name);
    file->mtime = UNKNOWN_TIME;
    bucket = hash(name);
    file->next = files[bucket];
    files[bucket] = file;
    counters.files++;
    return file;
}

void each_file(void (*visit)(struct file *file))
{
    int i;
    struct file *file;
    for (i = 0; i < BUCKETS; i++)
        for (file = files[i]; file != NULL; file = file->next)
            visit(file);
}

void set_disk_time(const char *name, long time)
{
    int i;
    for (i = 0; i < disk_count; i++)
        if (strcmp(disk[i].name, name) == 0)
            break;
    if (i == MAX_DISK)
        fatal(0, "too many files: ", name);
    if (i == disk_count) {
        strncpy(disk[i].name, name, sizeof disk[i].name - 1);
        disk_count++;
    }
    disk[i].time = time;
}

long disk_time(const char *name)
{
    int i;
    for (i = 0; i < disk_count; i++)
        if (strcmp(disk[i].name, name) == 0)
            return disk[i].time;
    return NO_FILE;
}

struct dep *new_dep(const char *name, int order_only)
{
    struct dep *dep = xmalloc(sizeof *dep);
    bzero(dep, sizeof *dep);
    dep->file = enter_file(name);
    dep->order_only = order_only;
    return dep;
}

void append_deps(struct file *file, struct dep *deps)
{
    struct dep **link = &file->deps;
    while (*link != NULL)
        link = &(*link)->next;
    *link = deps;
}

static void mark_all_precious(struct file *file)
{
    file->precious = 1;
}

static void mark_all_silent(struct file *file)
{
    file->silent = 1;
}

/* Carries what the special targets list over to the flags of the files. */
void snap_deps(void)
{
    struct file *special;
    struct dep *dep;
    special = lookup_file(".PRECIOUS");
    if (special != NULL) {
        if (special->deps == NULL)
            each_file(mark_all_precious);
        for (dep = special->deps; dep != NULL; dep = dep->next)
            dep->file->precious = 1;
    }
    special = lookup_file(".PHONY");
    if (special != NULL)
        for (dep = special->deps; dep != NULL; dep = dep->next) {
            dep->file->is_target = 1;
            dep->file->phony = 1;
        }
    special = lookup_file(".SILENT");
    if (special != NULL) {
        if (special->deps == NULL)
            each_file(mark_all_silent);
        for (dep = special->deps; dep != NULL; dep = dep->next)
            dep->file->silent = 1;
    }
}
