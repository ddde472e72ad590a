/* Fills lines: wrap WIDTH MODE < text, where MODE is left, right or both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 60
#define MAX_WORD 30

enum mode { LEFT, RIGHT, BOTH };

struct page {
    int width;
    enum mode mode;
    char line[128];
    int length;
    int words;
    int lines;
    int longest;
};

static void spaces(int count)
{
    while (count-- > 0)
        putchar(' ');
}

static void print_spread(const struct page *page)
{
    int missing = page->width - page->length, gaps = page->words - 1, i;
    for (i = 0; i < page->length; i++) {
        putchar(page->line[i]);
        if (page->line[i] == ' ' && gaps > 0) {
            int more = missing / gaps;
            if (missing % gaps > 0)
                more++;
            spaces(more);
            missing -= more;
            gaps--;
        }
    }
}

static void flush(struct page *page, int is_last)
{
    page->line[page->length] = '\0';
    if (page->length > page->longest)
        page->longest = page->length;
    if (page->mode == RIGHT) {
        spaces(page->width - page->length);
        printf("%s", page->line);
    } else if (page->mode == BOTH && !is_last) {
        print_spread(page);
    } else {
        printf("%s", page->line);
    }
    putchar('\n');
    page->lines++;
    page->length = 0;
    page->words = 0;
}

static void add_word(struct page *page, const char *word, int length)
{
    if (page->length > 0 && page->length + 1 + length > page->width)
        flush(page, 0);
    if (page->length > 0)
        page->line[page->length++] = ' ';
    memcpy(page->line + page->length, word, length);
    page->length += length;
    page->words++;
}

static void fill(struct page *page)
{
    char word[MAX_WORD];
    int n = 0, newlines = 0, c;
    while ((c = getchar()) != EOF) {
        if (c == '\n')
            newlines++;
        if (c == ' ' || c == '\n' || c == '\t') {
            if (n > 0)
                add_word(page, word, n);
            n = 0;
            if (newlines == 2 && page->length > 0) {
                flush(page, 1);
                putchar('\n');
            }
            continue;
        }
        newlines = 0;
        if (n == page->width || n == MAX_WORD) {
            add_word(page, word, n);
            n = 0;
        }
        word[n++] = c;
    }
    if (n > 0)
        add_word(page, word, n);
    if (page->length > 0)
        flush(page, 1);
}

int main(int argc, char **argv)
{
    struct page page = {20, LEFT, "", 0, 0, 0, 0};
    if (argc > 1)
        page.width = atoi(argv[1]);
    if (page.width < 4 || page.width > MAX_WIDTH) {
        printf("no such width\n");
        return 0;
    }
    if (argc > 2 && strcmp(argv[2], "right") == 0)
        page.mode = RIGHT;
    else if (argc > 2 && strcmp(argv[2], "both") == 0)
        page.mode = BOTH;
    fill(&page);
    printf("%d lines, longest %d\n", page.lines, page.longest);
    return 0;
}
