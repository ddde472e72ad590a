/* Reads settings (sections, keys, comments) from standard input and prints one of them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETTINGS 32
#define MAX_LINE 80

struct setting {
    char section[20];
    char key[20];
    char value[40];
    int line;
};

static struct setting settings[MAX_SETTINGS];
static int n_settings;
static int warnings;

static char *trim_left(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static void trim_right(char *text)
{
    int n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\n'))
        text[--n] = '\0';
}

static void copy(char *to, const char *from, int size)
{
    int n = 0;
    while (from[n] != '\0' && n < size - 1) {
        to[n] = from[n];
        n++;
    }
    to[n] = '\0';
}

static int is_comment(const char *line)
{
    if (line[0] == '#' || line[0] == ';')
        return 1;
    return line[0] == '/' && line[1] == '/';
}

static int read_section(char *line, char *section)
{
    char *end = strchr(line, ']');
    if (end == NULL) {
        warnings++;
        return 0;
    }
    *end = '\0';
    copy(section, trim_left(line + 1), 20);
    trim_right(section);
    return 1;
}

static void unquote(char *value)
{
    int n = strlen(value);
    if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
        memmove(value, value + 1, n - 2);
        value[n - 2] = '\0';
    }
}

static void read_setting(char *line, const char *section, int number)
{
    char *equals = strchr(line, '=');
    struct setting *new;
    if (equals == NULL || equals == line) {
        warnings++;
        return;
    }
    if (n_settings == MAX_SETTINGS)
        return;
    new = &settings[n_settings++];
    *equals = '\0';
    copy(new->section, section, 20);
    copy(new->key, trim_left(line), 20);
    trim_right(new->key);
    copy(new->value, trim_left(equals + 1), 40);
    trim_right(new->value);
    unquote(new->value);
    new->line = number;
}

static void read_settings(FILE *file)
{
    char buffer[MAX_LINE], section[20] = "main";
    int number = 0;
    while (fgets(buffer, sizeof buffer, file) != NULL) {
        char *line = trim_left(buffer);
        number++;
        trim_right(line);
        if (line[0] == '\0' || is_comment(line))
            continue;
        if (line[0] == '[')
            read_section(line, section);
        else
            read_setting(line, section, number);
    }
}

static const struct setting *find(const char *section, const char *key)
{
    int i;
    for (i = n_settings - 1; i >= 0; i--)
        if (strcmp(settings[i].key, key) == 0 && strcmp(settings[i].section, section) == 0)
            return &settings[i];
    return NULL;
}

static int truth(const char *value)
{
    if (strcmp(value, "yes") == 0 || strcmp(value, "on") == 0)
        return 1;
    return strcmp(value, "true") == 0;
}

static int as_number(const struct setting *found, int fallback)
{
    int value;
    if (found == NULL)
        return fallback;
    value = atoi(found->value);
    if (value < 0)
        return fallback;
    return value;
}

static int volume(int limit, int wanted, int quiet)
{
    int level = wanted > limit ? limit : wanted;
    if (quiet)
        level = level / 2;
    return level;
}

int main(int argc, char **argv)
{
    const char *section = argc > 1 ? argv[1] : "main";
    const struct setting *name;
    int limit, wanted, quiet, level;
    read_settings(stdin);
    name = find(section, "name");
    limit = as_number(find(section, "limit"), 100);
    wanted = as_number(find(section, "volume"), 10);
    quiet = find(section, "quiet") != NULL && truth(find(section, "quiet")->value);
    level = volume(limit, wanted, quiet);
    printf("name %s\n", name != NULL ? name->value : "(none)");
    printf("level %d\n", level);
    printf("settings %d warnings %d\n", n_settings, warnings);
    return 0;
}
