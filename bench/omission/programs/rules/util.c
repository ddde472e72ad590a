#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

void fatal(int line, const char *message, const char *about)
{
    if (line > 0)
        printf("line %d: ", line);
    printf("*** %s%s. Stop.\n", message, about);
    exit(2);
}

void *xmalloc(size_t size)
{
    void *found = malloc(size);
    if (found == NULL)
        fatal(0, "no memory", "");
    return found;
}

char *xstrndup(const char *text, size_t length)
{
    char *copy = xmalloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *xstrdup(const char *text)
{
    return xstrndup(text, strlen(text));
}

/* The next word at `*at`, as a new string; NULL if there is none. */
char *next_word(char **at)
{
    char *start;
    while (isspace((unsigned char)**at))
        (*at)++;
    if (**at == '\0')
        return NULL;
    start = *at;
    while (**at != '\0' && !isspace((unsigned char)**at))
        (*at)++;
    return xstrndup(start, (size_t)(*at - start));
}

char *trim(char *text)
{
    char *end;
    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}
