/* Runs the commands on each line. */
#include <stdlib.h>
#include <string.h>

#include "filter.h"

#define MAX_APPENDS 8

struct statistics statistics;
int silent;

static struct line space, hold, built;
static const char *appends[MAX_APPENDS];
static int append_count;
static int replaced; /* since the last line was read or t was taken */
static int quitting;

static void put_missing_newline(struct output *output)
{
    if (output->missing_newline) {
        putc('\n', output->file);
        output->missing_newline = 0;
    }
}

static void put_text(struct output *output, const char *text, size_t length, int newline)
{
    put_missing_newline(output);
    fwrite(text, 1, length, output->file);
    if (newline)
        putc('\n', output->file);
    else
        output->missing_newline = 1;
    statistics.printed++;
}

static void put_line(struct output *output, const struct line *line)
{
    put_text(output, line->text + line->active, line->length, line->chomped);
}

static void flush_appends(struct output *output)
{
    int i;
    for (i = 0; i < append_count; i++)
        put_text(output, appends[i], strlen(appends[i]), 1);
    append_count = 0;
}

static int address_matches(const struct address *address, struct source *source)
{
    switch (address->kind) {
    case ADDR_NUMBER:
        return source->line_number == address->number;
    case ADDR_LAST:
        return is_last_line(source);
    case ADDR_TEXT:
        return strstr(space.text + space.active, address->text) != NULL;
    case ADDR_STEP:
        return source->line_number >= address->number
               && (source->line_number - address->number) % address->step == 0;
    default:
        return 1;
    }
}

static int in_range(struct command *command, struct source *source)
{
    switch (command->state) {
    case RANGE_INACTIVE:
        if (!address_matches(&command->first, source))
            return 0;
        if (command->second.kind == ADDR_NUMBER
            && command->second.number <= source->line_number)
            return 1; /* a range of one line */
        command->state = RANGE_ACTIVE;
        return 1;
    case RANGE_ACTIVE:
        if (command->second.kind == ADDR_NUMBER) {
            if (source->line_number >= command->second.number)
                command->state = RANGE_CLOSED;
            return source->line_number <= command->second.number;
        }
        if (address_matches(&command->second, source))
            command->state = RANGE_INACTIVE;
        return 1;
    case RANGE_CLOSED:
        return 0;
    }
    return 0;
}

static int selected(struct command *command, struct source *source)
{
    int found = command->has_range ? in_range(command, source)
                                   : address_matches(&command->first, source);
    return found != command->negate;
}

static void substitute(struct command *command, struct output *output)
{
    const char *start = space.text + space.active, *found;
    size_t wanted = strlen(command->text);
    int count = 0, any = 0;
    if (wanted == 0)
        return;
    line_clear(&built);
    while ((found = strstr(start, command->text)) != NULL) {
        count++;
        line_append(&built, start, (size_t)(found - start));
        if (count < command->number) {
            line_append(&built, found, wanted);
            start = found + wanted;
            continue;
        }
        line_append(&built, command->with, strlen(command->with));
        any = 1;
        start = found + wanted;
        if (!command->global)
            break;
    }
    if (!any)
        return;
    line_append(&built, start, strlen(start));
    built.chomped = space.chomped;
    line_swap(&space, &built);
    replaced = 1;
    statistics.replaced++;
    if (command->print)
        put_line(output, &space);
}

static void transliterate(const struct command *command)
{
    size_t i;
    for (i = 0; i < space.length; i++) {
        char *byte = &space.text[space.active + i];
        const char *found = strchr(command->text, *byte);
        if (found != NULL && *byte != '\0')
            *byte = command->with[found - command->text];
    }
}

static void end_cycle(struct output *output)
{
    if (!silent)
        put_line(output, &space);
    flush_appends(output);
}

/* Runs the program on the pattern space; 0 if it is to be run again without reading. */
static int run_program(struct command *program, struct source *source, struct output *output)
{
    struct command *command = program;
    struct line next = {0};
    char *newline;
    while (command != NULL) {
        if (!selected(command, source)) {
            command = command->next;
            continue;
        }
        switch (command->name) {
        case 's':
            substitute(command, output);
            break;
        case 'y':
            transliterate(command);
            break;
        case 'p':
            put_line(output, &space);
            break;
        case 'P':
            newline = memchr(space.text + space.active, '\n', space.length);
            put_text(output, space.text + space.active,
                     newline ? (size_t)(newline - space.text - space.active) : space.length, 1);
            break;
        case '=':
            put_missing_newline(output);
            fprintf(output->file, "%ld\n", source->line_number);
            break;
        case 'd':
            statistics.deleted++;
            flush_appends(output);
            return 1;
        case 'D':
            newline = memchr(space.text + space.active, '\n', space.length);
            if (newline == NULL) {
                statistics.deleted++;
                return 1;
            }
            space.length -= (size_t)(newline + 1 - space.text) - space.active;
            space.active = (size_t)(newline + 1 - space.text);
            flush_appends(output);
            return 0;
        case 'n':
            if (is_last_line(source))
                goto done;
            end_cycle(output);
            read_line(source, &space);
            statistics.lines++;
            break;
        case 'N':
            if (is_last_line(source))
                goto done;
            read_line(source, &next);
            line_join(&next, &space);
            space.chomped = next.chomped;
            statistics.lines++;
            break;
        case 'a':
            if (append_count < MAX_APPENDS)
                appends[append_count++] = command->text;
            break;
        case 'i':
            put_text(output, command->text, strlen(command->text), 1);
            break;
        case 'c':
            if (!command->has_range || command->state != RANGE_ACTIVE)
                put_text(output, command->text, strlen(command->text), 1);
            statistics.deleted++;
            return 1;
        case 'g':
            line_copy(&hold, &space);
            break;
        case 'G':
            line_join(&hold, &space);
            break;
        case 'h':
            line_copy(&space, &hold);
            break;
        case 'H':
            line_join(&space, &hold);
            break;
        case 'x':
            line_swap(&space, &hold);
            break;
        case 'q':
            quitting = 1;
            goto done;
        case 't':
            if (!replaced)
                break;
            replaced = 0;
            /* fall through */
        case 'b':
            if (command->target == NULL)
                goto done;
            command = command->target;
            continue;
        default:
            break;
        }
        command = command->next;
    }
done:
    end_cycle(output);
    return 1;
}

void execute(struct command *program, struct source *source, struct output *output)
{
    line_clear(&hold);
    while (!quitting && read_line(source, &space)) {
        statistics.lines++;
        replaced = 0;
        while (!run_program(program, source, output))
            replaced = 0;
    }
    put_missing_newline(output);
}
