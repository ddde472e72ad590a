/* Variables, and their expansion in texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

#define MAX_TEXT 512

struct variable {
    struct variable *next;
    char *name, *value;
    int expanding;
};

static struct variable *variables;

static struct variable *find_variable(const char *name, size_t length)
{
    struct variable *variable;
    for (variable = variables; variable != NULL; variable = variable->next)
        if (strlen(variable->name) == length && strncmp(variable->name, name, length) == 0)
            return variable;
    return NULL;
}

void define_variable(const char *name, const char *value, int append)
{
    struct variable *variable = find_variable(name, strlen(name));
    if (variable == NULL) {
        variable = xmalloc(sizeof *variable);
        bzero(variable, sizeof *variable);
        variable->name = xstrdup(name);
        variable->value = xstrdup(value);
        variable->next = variables;
        variables = variable;
    } else if (append) {
        char *joined = xmalloc(strlen(variable->value) + strlen(value) + 2);
        sprintf(joined, "%s %s", variable->value, value);
        free(variable->value);
        variable->value = joined;
    } else {
        free(variable->value);
        variable->value = xstrdup(value);
    }
}

static char *put(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static char *put_deps(char *out, const struct file *file, int only_changed)
{
    const struct dep *dep;
    int any = 0;
    for (dep = file->deps; dep != NULL; dep = dep->next) {
        if (dep->order_only || (only_changed && !dep->changed))
            continue;
        if (any)
            *out++ = ' ';
        out = put(out, dep->file->name);
        any = 1;
    }
    return out;
}

static char *expand_into(char *out, const char *text, const struct file *file)
{
    while (*text != '\0') {
        if (*text != '$') {
            *out++ = *text++;
            continue;
        }
        text++;
        switch (*text) {
        case '$':
            *out++ = '$';
            break;
        case '@':
            out = put(out, file->name);
            break;
        case '*':
            out = put(out, file->stem != NULL ? file->stem : "");
            break;
        case '<':
            if (file->deps != NULL)
                out = put(out, file->deps->file->name);
            break;
        case '^':
            out = put_deps(out, file, 0);
            break;
        case '?':
            out = put_deps(out, file, 1);
            break;
        case '(': {
            const char *end = strchr(text, ')');
            struct variable *variable;
            if (end == NULL)
                fatal(0, "unterminated variable reference: ", text);
            variable = find_variable(text + 1, (size_t)(end - text - 1));
            if (variable != NULL) {
                if (variable->expanding)
                    fatal(0, "a variable refers to itself: ", variable->name);
                variable->expanding = 1;
                out = expand_into(out, variable->value, file);
                variable->expanding = 0;
            }
            text = end;
            break;
        }
        default:
            fatal(0, "bad character after $: ", text);
        }
        text++;
    }
    return out;
}

char *expand(const char *text, const struct file *file)
{
    char buffer[MAX_TEXT];
    char *end = expand_into(buffer, text, file);
    return xstrndup(buffer, (size_t)(end - buffer));
}
