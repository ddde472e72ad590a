/* Words become a line for a shell: each is quoted if it has to be, and long lines are folded. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 20

struct text {
    char *bytes;
    size_t used, room;
    size_t column;
};

static void grow(struct text *text, size_t more)
{
    if (text->used + more + 1 <= text->room)
        return;
    text->room = 2 * (text->used + more + 1);
    text->bytes = realloc(text->bytes, text->room);
}

static void append(struct text *text, const char *from, size_t length)
{
    grow(text, length);
    memcpy(text->bytes + text->used, from, length);
    text->used += length;
    text->bytes[text->used] = '\0';
    text->column += length;
}

static void append_char(struct text *text, char c)
{
    append(text, &c, 1);
}

static int is_plain(const char *word)
{
    if (*word == '\0')
        return 0;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && strchr("-_./=", *word) == NULL)
            return 0;
    return 1;
}

static size_t quoted_length(const char *word)
{
    size_t length = 2;
    for (; *word; word++)
        length += *word == '\'' ? @{3|4} : 1;
    return length;
}

static void append_quoted(struct text *text, const char *word)
{
    append_char(text, '\'');
    while (*word) {
        size_t part = strcspn(word, "'");
        append(text, word, part);
        word += part;
        if (*word == '\'') {
            append(text, "'\\''", 4);
            word++;
        }
    }
    append_char(text, '\'');
}

static void add_word(struct text *text, const char *word)
{
    int plain = is_plain(word);
    size_t length = plain ? strlen(word) : quoted_length(word);
    if (text->used > 0) {
        if (text->column + 1 + length > WIDTH) {
            append(text, " \\\n", 3);
            text->column = 0;
            append(text, "  ", 2);
        } else {
            append_char(text, ' ');
        }
    }
    if (plain)
        append(text, word, length);
    else
        append_quoted(text, word);
}

static size_t lines_of(const struct text *text)
{
    size_t lines = 1;
    for (size_t i = 0; i < text->used; i++)
        lines += text->bytes[i] == '\n';
    return lines;
}

int main(void)
{
    static const char *const words[] = {
        "tar", "-cf", "it's.tar", "notes of may", "", "a.txt", "don't", "b", "c.txt",
    };
    struct text text = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_word(&text, words[i]);
    size_t lines = lines_of(&text);
    printf("%zu lines, %zu bytes\n", lines, text.used);
    puts(text.bytes);
    free(text.bytes);
    return 0;
}
