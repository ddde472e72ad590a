/* Which files are out of date? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

#define MAX_DEPTH 8

static long time_of(struct file *file)
{
    if (file->mtime == UNKNOWN_TIME)
        file->mtime = disk_time(file->name);
    return file->mtime;
}

static char *stem_of(const char *name, const char *pattern)
{
    const char *percent = strchr(pattern, '%');
    size_t before = (size_t)(percent - pattern), after = strlen(percent + 1);
    size_t length = strlen(name);
    if (length < before + after + 1 || strncmp(name, pattern, before) != 0
        || strcmp(name + length - after, percent + 1) != 0)
        return NULL;
    return xstrndup(name + before, length - before - after);
}

static char *with_stem(const char *pattern, const char *stem)
{
    const char *percent = strchr(pattern, '%');
    char *text = xmalloc(strlen(pattern) + strlen(stem));
    sprintf(text, "%.*s%s%s", (int)(percent - pattern), pattern, stem, percent + 1);
    return text;
}

/* Looks for a pattern that can make the file; its dependency may need another one. */
int implicit_rule(struct file *file, int depth)
{
    struct pattern *pattern;
    if (depth > MAX_DEPTH)
        return 0;
    for (pattern = first_pattern(); pattern != NULL; pattern = pattern->next) {
        char *stem = pattern->in_use ? NULL : stem_of(file->name, pattern->target);
        char *name;
        struct file *source;
        int found;
        if (stem == NULL)
            continue;
        if (pattern->dep == NULL) {
            file->cmds = pattern->cmds;
            file->stem = stem;
            return 1;
        }
        name = with_stem(pattern->dep, stem);
        source = lookup_file(name);
        found = disk_time(name) != NO_FILE || (source != NULL && source->is_target);
        if (!found) {
            struct file *made = enter_file(name);
            pattern->in_use = 1;
            found = implicit_rule(made, depth + 1);
            pattern->in_use = 0;
            if (found)
                made->intermediate = 1;
        }
        if (found) {
            struct dep *dep = new_dep(name, 0);
            dep->next = file->deps;
            file->deps = dep;
            file->cmds = pattern->cmds;
            file->stem = stem;
            free(name);
            return 1;
        }
        free(name);
        free(stem);
    }
    return 0;
}

static int update_file(struct file *file, const struct file *for_file, int depth);

static int update_deps(struct file *file, int depth, int *must)
{
    struct dep *dep;
    int failed = 0;
    long own = time_of(file);
    for (dep = file->deps; dep != NULL; dep = dep->next) {
        if (dep->file->updating) {
            printf("circular %s <- %s dependency dropped\n", file->name, dep->file->name);
            continue;
        }
        failed |= update_file(dep->file, file, depth + 1);
        dep->changed = dep->file->updated || own == NO_FILE || time_of(dep->file) > own;
        if (dep->file->phony)
            dep->changed = 1;
        if (dep->changed && !dep->order_only)
            *must = 1;
    }
    return failed;
}

static int update_file(struct file *file, const struct file *for_file, int depth)
{
    int must = 0, failed;
    if (file->state == FINISHED)
        return file->failed;
    file->updating = 1;
    if (file->cmds == NULL && !file->phony)
        implicit_rule(file, 0);
    failed = update_deps(file, depth, &must);
    file->updating = 0;
    file->state = FINISHED;
    if (failed) {
        file->failed = 1;
        printf("%s not remade because of errors\n", file->name);
        return 1;
    }
    if (time_of(file) == NO_FILE || always || file->phony)
        must = 1;
    if (file->intermediate && !must && time_of(file) == NO_FILE)
        must = 0;
    if (!must) {
        counters.kept++;
        return 0;
    }
    if (file->cmds == NULL && !file->is_target) {
        if (time_of(file) != NO_FILE)
            return 0;
        printf("no rule to make %s", file->name);
        printf(for_file != NULL ? ", needed by %s\n" : "\n", for_file ? for_file->name : "");
        file->failed = 1;
        return 1;
    }
    file->failed = run_commands(file);
    file->updated = 1;
    return file->failed;
}

int update_goal(const char *name)
{
    struct file *file = enter_file(name);
    int before = counters.commands;
    int failed = update_file(file, NULL, 0);
    if (!failed && counters.commands == before) {
        if (file->phony || file->cmds == NULL)
            printf("nothing to be done for %s\n", name);
        else
            printf("%s is up to date\n", name);
    }
    return failed;
}
