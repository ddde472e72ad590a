/* Fills the text on standard input into lines: layout WIDTH MODE INDENT
   MODE is left, right, center or full.  A line that begins with a dot is a command:
     .br  end the line    .sp N  leave N lines free    .in N  indent by N
     .ti N  indent the next line only    .nf  do not fill    .fi  fill again */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 128
#define MAX_WIDTH 60
#define MAX_FREE 4

enum mode { LEFT, RIGHT, CENTER, FULL };

static char line[MAX_LINE];
static int used, words;
static int width, indent, once = -1, is_filling = 1;
static enum mode mode;
static int printed;

static void spaces(int n)
{
    while (n-- > 0)
        putchar(' ');
}

static int margin(void)
{
    return once >= 0 ? once : indent;
}

static void full_line(int room)
{
    int gaps = words - 1, extra = room - used, k = 0, i;
    for (i = 0; i < used; i++) {
        putchar(line[i]);
        if (line[i] == ' ' && k < gaps) {
            spaces(extra / gaps + (k < extra % gaps));
            k++;
        }
    }
}

static void end_line(int is_last)
{
    int room = width - margin();
    if (!used)
        return;
    spaces(margin());
    if (mode == RIGHT)
        spaces(room - used);
    if (mode == CENTER)
        spaces((room - used) / 2);
    if (mode == FULL && !is_last && words > 1 && used < room)
        full_line(room);
    else
        printf("%.*s", used, line);
    putchar('\n');
    printed++;
    used = words = 0;
    once = -1;
}

static void add_word(const char *word, int n)
{
    if (used && used + 1 + n > width - margin())
        end_line(0);
    if (used + n + 1 >= MAX_LINE)
        return;
    if (used)
        line[used++] = ' ';
    memcpy(line + used, word, n);
    used += n;
    words++;
}

static void free_lines(int n)
{
    end_line(1);
    if (n > MAX_FREE)
        n = MAX_FREE;
    while (n-- > 0) {
        putchar('\n');
        printed++;
    }
}

static void command(const char *text)
{
    int n = 1;
    if (text[2] && text[3] == ' ')
        n = atoi(text + 4);
    if (!strncmp(text, ".br", 3))
        end_line(1);
    else if (!strncmp(text, ".sp", 3))
        free_lines(n);
    else if (!strncmp(text, ".in", 3)) {
        end_line(1);
        if (n >= 0 && n < width / 2)
            indent = n;
    } else if (!strncmp(text, ".ti", 3)) {
        end_line(1);
        if (n >= 0 && n <= width / 2)
            once = n;
    } else if (!strncmp(text, ".nf", 3)) {
        end_line(1);
        is_filling = 0;
    } else if (!strncmp(text, ".fi", 3))
        is_filling = 1;
    else
        printf("?%s\n", text);
}

static void fill(const char *text)
{
    int i = 0, start;
    while (text[i]) {
        while (isspace((unsigned char)text[i]))
            i++;
        start = i;
        while (text[i] && !isspace((unsigned char)text[i]))
            i++;
        if (i > start)
            add_word(text + start, i - start);
        if (i - start > 1 && text[i - 1] == '.' && used < width - 1) {
            line[used++] = ' ';
        }
    }
    if (!is_filling)
        end_line(1);
}

int main(int argc, char **argv)
{
    char text[MAX_LINE];
    if (argc != 4)
        return 2;
    width = atoi(argv[1]);
    indent = atoi(argv[3]);
    if (width < 8 || width > MAX_WIDTH) {
        printf("bad width %d\n", width);
        return 1;
    }
    if (indent < 0 || indent > width / 2)
        indent = 0;
    mode = !strcmp(argv[2], "right") ? RIGHT
         : !strcmp(argv[2], "center") ? CENTER
         : !strcmp(argv[2], "full") ? FULL : LEFT;
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        if (text[0] == '.')
            command(text);
        else if (text[0] == 0)
            free_lines(1);
        else
            fill(text);
    }
    end_line(1);
    printf("%d lines\n", printed);
    return 0;
}
