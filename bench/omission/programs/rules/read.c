/* Reads the rule file on standard input. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

#define MAX_LINE 256
#define MAX_TARGETS 16

static struct pattern *patterns, **last_pattern = &patterns;
static const char *goal;
static int line_number;

/* The targets whose rule is being read. */
static char *pending[MAX_TARGETS];
static int pending_count;
static struct dep *pending_deps;
static char *pending_pattern;
static struct commands *pending_cmds;

struct pattern *first_pattern(void)
{
    return patterns;
}

const char *default_goal(void)
{
    return goal;
}

static void add_command(const char *text)
{
    struct commands *cmds = pending_cmds;
    if (pending_count == 0)
        fatal(line_number, "commands commence before first target", "");
    if (cmds == NULL) {
        cmds = pending_cmds = xmalloc(sizeof *cmds);
        memset(cmds, 0, sizeof *cmds);
        cmds->line = line_number;
    }
    cmds->lines = realloc(cmds->lines, (size_t)(cmds->count + 1) * sizeof *cmds->lines);
    cmds->lines[cmds->count++] = xstrdup(text);
}

static struct dep *copy_deps(const struct dep *deps)
{
    struct dep *first = NULL, **link = &first;
    for (; deps != NULL; deps = deps->next) {
        *link = new_dep(deps->file->name, deps->order_only);
        link = &(*link)->next;
    }
    return first;
}

static void record_pattern(const char *target)
{
    struct pattern *pattern = xmalloc(sizeof *pattern);
    memset(pattern, 0, sizeof *pattern);
    pattern->target = xstrdup(target);
    pattern->dep = pending_pattern != NULL ? xstrdup(pending_pattern) : NULL;
    pattern->cmds = pending_cmds;
    *last_pattern = pattern;
    last_pattern = &pattern->next;
}

/* Ends the rule that is being read. */
static void record_rule(void)
{
    int i;
    for (i = 0; i < pending_count; i++) {
        struct file *file;
        if (strchr(pending[i], '%') != NULL) {
            record_pattern(pending[i]);
            continue;
        }
        file = enter_file(pending[i]);
        if (pending_cmds != NULL && file->cmds != NULL)
            fatal(pending_cmds->line, "two rules with commands for ", file->name);
        if (pending_cmds != NULL)
            file->cmds = pending_cmds;
        append_deps(file, copy_deps(pending_deps));
        file->is_target = 1;
        if (goal == NULL && file->name[0] != '.')
            goal = file->name;
        free(pending[i]);
    }
    pending_count = 0;
    pending_deps = NULL;
    pending_cmds = NULL;
    pending_pattern = NULL;
}

static void read_dependencies(char *text)
{
    struct dep **link = &pending_deps;
    int order_only = 0;
    char *word;
    while ((word = next_word(&text)) != NULL) {
        if (strcmp(word, "|") == 0) {
            order_only = 1;
        } else if (strchr(word, '%') != NULL) {
            pending_pattern = word;
            continue;
        } else {
            *link = new_dep(word, order_only);
            link = &(*link)->next;
        }
        free(word);
    }
}

static void read_rule(char *text, char *colon)
{
    char *word, *commands = strchr(colon, ';');
    record_rule();
    *colon = '\0';
    if (commands != NULL)
        *commands++ = '\0';
    while ((word = next_word(&text)) != NULL) {
        if (pending_count == MAX_TARGETS)
            fatal(line_number, "too many targets", "");
        pending[pending_count++] = word;
    }
    if (pending_count == 0)
        fatal(line_number, "missing target", "");
    read_dependencies(expand(colon + 1, NULL));
    if (commands != NULL)
        add_command(trim(commands));
}

static void read_assignment(char *text, char *equals)
{
    int append = equals > text && equals[-1] == '+';
    record_rule();
    equals[append ? -1 : 0] = '\0';
    define_variable(trim(text), trim(equals + 1), append);
}

static void read_line(char *line)
{
    char *comment = strchr(line, '#'), *colon, *equals, *text;
    if (line[0] == '\t') {
        add_command(trim(line));
        return;
    }
    if (comment != NULL)
        *comment = '\0';
    text = trim(line);
    if (*text == '\0')
        return;
    if (*text == '@') {
        char *at = text + 1, *name = next_word(&at);
        set_disk_time(name, atol(at));
        free(name);
        return;
    }
    colon = strchr(text, ':');
    equals = strchr(text, '=');
    if (equals != NULL && (colon == NULL || equals < colon))
        read_assignment(text, equals);
    else if (colon != NULL)
        read_rule(text, colon);
    else
        fatal(line_number, "missing separator", "");
}

void read_rules(void)
{
    char line[MAX_LINE];
    while (fgets(line, sizeof line, stdin) != NULL) {
        size_t length = strlen(line);
        line_number++;
        while (length >= 2 && line[length - 1] == '\n' && line[length - 2] == '\\') {
            line[length - 2] = ' ';
            if (fgets(line + length - 1, (int)(sizeof line - length + 1), stdin) == NULL)
                break;
            line_number++;
            length = strlen(line);
        }
        read_line(line);
    }
    record_rule();
}
