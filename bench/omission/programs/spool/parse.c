#include "spool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *text;
    enum verb verb;
    int least;
};

static const struct word words[] = {
    {"printer", VERB_PRINTER, 2},
    {"job", VERB_JOB, 3},
    {"hold", VERB_HOLD, 1},
    {"release", VERB_RELEASE, 1},
    {"cancel", VERB_CANCEL, 1},
    {"tick", VERB_TICK, 1},
    {"budget", VERB_BUDGET, 2},
    {"report", VERB_REPORT, 0},
};

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static const char *read_word(const char *text, char *word)
{
    int length = 0;

    while (*text && !isspace((unsigned char)*text)) {
        if (length < NAME_SIZE - 1)
            word[length++] = *text;
        text++;
    }
    word[length] = 0;
    return text;
}

static const struct word *find_word(const char *text)
{
    int count = (int)(sizeof words / sizeof words[0]);

    for (int i = 0; i < count; i++) {
        if (strcmp(words[i].text, text) == 0)
            return &words[i];
    }
    return NULL;
}

int flags_of(const char *text)
{
    int flags = 0;

    for (; *text; text++) {
        switch (*text) {
        case 'd':
            flags |= IS_DUPLEX;
            break;
        case 'c':
            flags |= IS_COLOUR;
            break;
        case 'u':
            flags |= IS_URGENT;
            break;
        default:
            break;
        }
    }
    return flags;
}

int read_command(const char *line, struct command *command)
{
    char name[NAME_SIZE];
    const struct word *word;
    const char *rest = skip_blanks(line);

    memset(command, 0, sizeof *command);
    if (*rest == '#' || *rest == '\n' || *rest == 0)
        return 0;
    rest = read_word(rest, name);
    word = find_word(name);
    if (!word)
        return -1;
    command->verb = word->verb;
    while (command->count < 5) {
        rest = skip_blanks(rest);
        if (*rest == '\n' || *rest == 0)
            break;
        rest = read_word(rest, command->words[command->count]);
        command->numbers[command->count] = atoi(command->words[command->count]);
        command->count++;
    }
    if (command->count < word->least)
        return -1;
    return 1;
}
