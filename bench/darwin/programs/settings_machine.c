/* Another reader of settings: one state machine over the characters of standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { START, COMMENT, SECTION, KEY, BEFORE_VALUE, VALUE };

struct text {
    char chars[40];
    int length;
    int limit;
};

static char wanted_section[20] = "main";
static struct text section = {"main", 4, 19};
static struct text key = {"", 0, 19};
static struct text value = {"", 0, 39};
static char name[40] = "(none)";
static int limit = 100, volume = 10, quiet, count, warnings;

static void clear(struct text *text)
{
    text->length = 0;
    text->chars[0] = '\0';
}

static void add(struct text *text, int c)
{
    if (text->length < text->limit) {
        text->chars[text->length++] = c;
        text->chars[text->length] = '\0';
    }
}

static void strip(struct text *text)
{
    while (text->length > 0
           && (text->chars[text->length - 1] == ' ' || text->chars[text->length - 1] == '\t'))
        text->chars[--text->length] = '\0';
}

static void unquote(struct text *text)
{
    int n = text->length;
    if (n >= 2 && text->chars[0] == '"' && text->chars[n - 1] == '"') {
        memmove(text->chars, text->chars + 1, n - 2);
        text->length = n - 2;
        text->chars[n - 2] = '\0';
    }
}

static void set_number(int *number, const char *text)
{
    int given = atoi(text);
    if (given >= 0)
        *number = given;
}

static void keep(void)
{
    strip(&key);
    strip(&value);
    unquote(&value);
    count++;
    if (strcmp(section.chars, wanted_section) != 0)
        return;
    if (strcmp(key.chars, "name") == 0)
        strcpy(name, value.chars);
    else if (strcmp(key.chars, "limit") == 0)
        set_number(&limit, value.chars);
    else if (strcmp(key.chars, "volume") == 0)
        set_number(&volume, value.chars);
    else if (strcmp(key.chars, "quiet") == 0)
        quiet = strcmp(value.chars, "yes") == 0 || strcmp(value.chars, "on") == 0
                || strcmp(value.chars, "true") == 0;
}

static enum state start(int c)
{
    if (c == '\n' || c == ' ' || c == '\t')
        return START;
    if (c == '#' || c == ';')
        return COMMENT;
    if (c == '[') {
        clear(&section);
        return SECTION;
    }
    clear(&key);
    add(&key, c);
    return KEY;
}

static enum state step(enum state state, int c)
{
    switch (state) {
    case START:
        return start(c);
    case COMMENT:
        return c == '\n' ? START : COMMENT;
    case SECTION:
        if (c == ']') {
            strip(&section);
            return COMMENT;
        }
        if (c == '\n') {
            warnings++;
            return START;
        }
        if (section.length > 0 || c != ' ')
            add(&section, c);
        return SECTION;
    case KEY:
        if (c == '\n') {
            warnings++;
            return START;
        }
        if (c == '=') {
            clear(&value);
            return BEFORE_VALUE;
        }
        add(&key, c);
        return KEY;
    case BEFORE_VALUE:
        if (c == ' ' || c == '\t')
            return BEFORE_VALUE;
        /* fall through */
    default:
        if (c == '\n') {
            keep();
            return START;
        }
        add(&value, c);
        return VALUE;
    }
}

int main(int argc, char **argv)
{
    enum state state = START;
    int c, level;
    if (argc > 1)
        strcpy(wanted_section, argv[1]);
    while ((c = getchar()) != EOF)
        state = step(state, c);
    if (state == BEFORE_VALUE || state == VALUE)
        keep();
    level = volume > limit ? limit : volume;
    if (quiet)
        level = level / 2;
    printf("name %s\n", name);
    printf("level %d\n", level);
    printf("settings %d warnings %d\n", count, warnings);
    return 0;
}
