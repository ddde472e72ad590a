/* Sets text in pages: words are filled into lines, and lines that begin with a dot are commands. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 200
#define MAX_WORD 60

static int width = 30;
static int indent;
static int next_indent = -1; /* for one line; -1: none */
static int is_filling = 1;
static int is_adjusting;
static int to_centre;
static int page_length = 12;
static int line_number = 1;
static int page_number = 1;
static char line[MAX_LINE];
static int used; /* bytes of the line */
static int words;

static void put_page_end(void)
{
    while (line_number <= page_length - 1) {
        putchar('\n');
        line_number++;
    }
    printf("- %d -\n", page_number++);
    line_number = 1;
}

static void put_line(const char *text, int spaces)
{
    if (line_number >= page_length)
        put_page_end();
    if (*text)
        printf("%*s%s\n", spaces, "", text);
    else
        putchar('\n');
    line_number++;
}

static int own_indent(void)
{
    int found = next_indent >= 0 ? next_indent : indent;

    next_indent = -1;
    return found;
}

/* Spread blanks over the gaps between the words, from the right. */
static void adjust(int missing)
{
    int gaps = words - 1;
    int from = used, to = used + missing;

    if (gaps < 1 || missing < 1)
        return;
    line[to] = 0;
    while (from < to) {
        line[--to] = line[--from];
        if (line[from] == ' ') {
            int share = missing / gaps;
            missing -= share;
            gaps--;
            while (share-- > 0)
                line[--to] = ' ';
        }
    }
}

static void flush_line(int is_full)
{
    int spaces;

    if (used == 0)
        return;
    line[used] = 0;
    spaces = own_indent();
    if (is_full && is_adjusting)
        adjust(width - spaces - used);
    put_line(line, spaces);
    used = words = 0;
}

static void put_word(const char *word)
{
    int length = (int)strlen(word);
    int room = width - (next_indent >= 0 ? next_indent : indent);

    if (used > 0 && used + 1 + length > room)
        flush_line(1);
    if (used > 0)
        line[used++] = ' ';
    memcpy(line + used, word, length);
    used += length;
    words++;
    if (length > 1 && strchr(".!?", word[length - 1]) && used < room)
        line[used++] = ' ';
}

static int number_after(const char *text, int old, int least)
{
    int number;

    while (*text && !isspace((unsigned char)*text))
        text++;
    while (*text == ' ')
        text++;
    number = atoi(*text == '+' || *text == '-' ? text + 1 : text);
    if (*text == '+')
        number = old + number;
    else if (*text == '-')
        number = old - number;
    else if (!isdigit((unsigned char)*text))
        number = least;
    return number < least ? least : number;
}

static void command(const char *text)
{
    if (strncmp(text, ".br", 3) == 0) {
        flush_line(0);
    } else if (strncmp(text, ".sp", 3) == 0) {
        int count = number_after(text, 0, 1);
        flush_line(0);
        while (count-- > 0 && line_number > 1)
            put_line("", 0);
    } else if (strncmp(text, ".in", 3) == 0) {
        flush_line(0);
        indent = number_after(text, indent, 0);
    } else if (strncmp(text, ".ti", 3) == 0) {
        flush_line(0);
        next_indent = number_after(text, indent, 0);
    } else if (strncmp(text, ".nf", 3) == 0) {
        flush_line(0);
        is_filling = 0;
    } else if (strncmp(text, ".fi", 3) == 0) {
        is_filling = 1;
    } else if (strncmp(text, ".ad", 3) == 0) {
        is_adjusting = 1;
    } else if (strncmp(text, ".na", 3) == 0) {
        is_adjusting = 0;
    } else if (strncmp(text, ".ll", 3) == 0) {
        width = number_after(text, width, 10);
    } else if (strncmp(text, ".ce", 3) == 0) {
        flush_line(0);
        to_centre = number_after(text, 0, 1);
    } else if (strncmp(text, ".bp", 3) == 0) {
        flush_line(0);
        put_page_end();
    }
}

static void put_text(char *text)
{
    text[strcspn(text, "\n")] = 0;
    if (to_centre > 0) {
        int spaces = (width - (int)strlen(text)) / 2;
        put_line(text, spaces > 0 ? spaces : 0);
        to_centre--;
        return;
    }
    if (!is_filling) {
        put_line(text, own_indent());
        return;
    }
    if (*text == 0 || *text == ' ') {
        flush_line(0);
        if (*text == 0)
            put_line("", 0);
    }
    for (char *word = strtok(text, " \t"); word; word = strtok(NULL, " \t")) {
        if (strlen(word) >= MAX_WORD)
            word[MAX_WORD] = 0;
        put_word(word);
    }
}

int main(void)
{
    char text[MAX_LINE];

    while (fgets(text, sizeof text, stdin)) {
        if (text[0] == '.')
            command(text);
        else
            put_text(text);
    }
    flush_line(0);
    put_page_end();
    return 0;
}
