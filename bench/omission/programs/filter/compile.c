/* Turns a script into a list of commands. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

#define MAX_LABELS 16

static const char *at;

static struct {
    char *name;
    struct command *command;
} labels[MAX_LABELS];
static int label_count;

static char *copy_of(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        fail("no memory", "");
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void skip_blanks(void)
{
    while (*at == ' ' || *at == '\t')
        at++;
}

static long read_number(void)
{
    long number = 0;
    while (isdigit((unsigned char)*at))
        number = number * 10 + (*at++ - '0');
    return number;
}

/* Reads up to `end`, which a backslash quotes; \n is a newline. */
static char *read_delimited(char end)
{
    char buffer[128];
    size_t length = 0;
    while (*at != end) {
        if (*at == '\0' || length + 1 == sizeof buffer)
            fail("unterminated command: ", at);
        if (*at == '\\' && at[1] == end) {
            at++;
        } else if (*at == '\\' && at[1] == 'n') {
            at += 2;
            buffer[length++] = '\n';
            continue;
        }
        buffer[length++] = *at++;
    }
    at++;
    return copy_of(buffer, length);
}

static int read_address(struct address *address)
{
    memset(address, 0, sizeof *address);
    if (isdigit((unsigned char)*at)) {
        address->number = read_number();
        address->kind = ADDR_NUMBER;
        if (*at == '~') {
            at++;
            address->step = read_number();
            if (address->step > 0)
                address->kind = ADDR_STEP;
        }
    } else if (*at == '$') {
        at++;
        address->kind = ADDR_LAST;
    } else if (*at == '/') {
        at++;
        address->text = read_delimited('/');
        address->kind = ADDR_TEXT;
    }
    return address->kind != ADDR_NONE;
}

static void read_flags(struct command *command)
{
    for (;;) {
        switch (*at) {
        case 'g':
            command->global = 1;
            at++;
            break;
        case 'p':
            command->print = 1;
            at++;
            break;
        case '1': case '2': case '3': case '4': case '5':
            command->number = (int)read_number();
            break;
        default:
            return;
        }
    }
}

static char *read_word(void)
{
    const char *start;
    skip_blanks();
    start = at;
    while (*at != '\0' && *at != ';' && *at != '\n')
        at++;
    return copy_of(start, (size_t)(at - start));
}

static void define_label(char *name, struct command *command)
{
    if (label_count == MAX_LABELS)
        fail("too many labels: ", name);
    labels[label_count].name = name;
    labels[label_count].command = command;
    label_count++;
}

static struct command *read_command(void)
{
    struct command *command = malloc(sizeof *command);
    char end;
    if (command == NULL)
        fail("no memory", "");
    memset(command, 0, sizeof *command);
    if (read_address(&command->first)) {
        skip_blanks();
        if (*at == ',') {
            at++;
            skip_blanks();
            if (!read_address(&command->second))
                fail("address expected: ", at);
            command->has_range = 1;
        }
    }
    skip_blanks();
    if (*at == '!') {
        at++;
        command->negate = 1;
    }
    skip_blanks();
    command->name = *at++;
    switch (command->name) {
    case 's':
    case 'y':
        end = *at++;
        command->text = read_delimited(end);
        command->with = read_delimited(end);
        if (command->name == 's')
            read_flags(command);
        else if (strlen(command->text) != strlen(command->with))
            fail("y needs texts of equal length: ", command->text);
        break;
    case 'a':
    case 'i':
    case 'c':
        command->text = read_word();
        break;
    case 'b':
    case 't':
        command->label = read_word();
        break;
    case ':':
        define_label(read_word(), command);
        break;
    case 'p': case 'P': case 'd': case 'D': case 'n': case 'N': case 'q': case '=':
    case 'g': case 'G': case 'h': case 'H': case 'x':
        break;
    default:
        fail("unknown command: ", at - 1);
    }
    return command;
}

static void resolve_labels(struct command *program)
{
    struct command *command;
    int i;
    for (command = program; command != NULL; command = command->next) {
        if (command->label == NULL || *command->label == '\0')
            continue;
        for (i = 0; i < label_count; i++)
            if (strcmp(labels[i].name, command->label) == 0)
                command->target = labels[i].command;
        if (command->target == NULL)
            fail("no such label: ", command->label);
    }
}

struct command *compile(const char *script)
{
    struct command *first = NULL, **link = &first;
    at = script;
    for (;;) {
        while (*at == ';' || *at == '\n' || *at == ' ')
            at++;
        if (*at == '\0')
            break;
        *link = read_command();
        link = &(*link)->next;
    }
    resolve_labels(first);
    return first;
}
