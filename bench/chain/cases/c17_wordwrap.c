/* Wrap words into lines of a width, with an indent for all lines but the first. */
#include <stdio.h>
#include <string.h>

#define MAX_LINES 20
#define MAX_LINE 80

struct page {
    char lines[MAX_LINES][MAX_LINE];
    int used, width, indent;
};

static void start_line(struct page *page)
{
    char *line = page->lines[page->used];
    int blanks = page->used ? page->indent : 0;
    memset(line, ' ', (size_t)blanks);
    line[blanks] = 0;
}

static int room_left(const struct page *page)
{
    const char *line = page->lines[page->used];
    int length = (int)strlen(line);
    return page->width - length;
}

static int is_fresh(const struct page *page)
{
    const char *line = page->lines[page->used];
    for (; *line; line++)
        if (*line != ' ')
            return 0;
    return 1;
}

static void put_word(struct page *page, const char *word, size_t size)
{
    int needed = (int)size @{|+ !is_fresh(page)};
    if (needed > room_left(page) && !is_fresh(page)) {
        page->used++;
        start_line(page);
    }
    char *line = page->lines[page->used];
    size_t length = strlen(line);
    if (!is_fresh(page))
        line[length++] = ' ';
    memcpy(line + length, word, size);
    line[length + size] = 0;
}

static void wrap(struct page *page, const char *text)
{
    start_line(page);
    while (*text) {
        size_t size = strcspn(text, " \n");
        if (size)
            put_word(page, text, size);
        text += size;
        while (*text == ' ' || *text == '\n')
            text++;
    }
}

static int longest(const struct page *page)
{
    int most = 0;
    for (int i = 0; i <= page->used; i++) {
        int length = (int)strlen(page->lines[i]);
        if (length > most)
            most = length;
    }
    return most;
}

int main(void)
{
    static struct page page = {.width = 14, .indent = 2};
    wrap(&page, "Each line is to hold as many words\nas fit, and no more than fit.");
    int most = longest(&page);
    int lines = page.used + 1;
    printf("%d lines, longest %d\n", lines, most);
    return most > page.width;
}
