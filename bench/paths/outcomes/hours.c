/* Is a shop open?  Lines "DAY HH:MM-HH:MM" and at last "ask DAY HH:MM" on standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span { int day, from, to; };

static const char *const days[] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };

static int day_of(const char *name) {
    for (int i = 0; i < 7; i++)
        if (strcmp(days[i], name) == 0)
            return i;
    return -1;
}

static int by_time(const void *one, const void *other) {
    const struct span *a = one, *b = other;
    if (a->day != b->day)
        return a->day - b->day;
    return a->from - b->from;
}

static int compare(const void *key, const void *item) {
    const struct span *asked = key, *open = item;
    if (asked->day != open->day)
        return asked->day - open->day;
    if (asked->from < open->from)
        return -1;
    return asked->from >= open->to;
}

int main(void) {
    struct span spans[8];
    size_t count = 0;
    char line[64], name[8];
    int h1, m1, h2, m2;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "ask %3s %d:%d", name, &h1, &m1) == 3) {
            struct span asked = { day_of(name), h1 * 60 + m1, 0 };
            if (asked.day < 0) {
                puts("no-such-day");
                return 1;
            }
            qsort(spans, count, sizeof *spans, by_time);
            struct span *found = bsearch(&asked, spans, count, sizeof *spans, compare);
            if (!found)
                puts("closed");
            else if (found->to - asked.from <= 15)
                puts("closing-soon");
            else
                puts("open");
            return 0;
        }
        if (sscanf(line, "%3s %2d:%2d-%2d:%2d", name, &h1, &m1, &h2, &m2) != 5) {
            puts("bad-line");
            continue;
        }
        if (h1 > 24 || h2 > 24 || m1 > 59 || m2 > 59) {
            puts("bad-time");
            continue;
        }
        struct span span = { day_of(name), h1 * 60 + m1, h2 * 60 + m2 };
        if (span.from >= span.to) {
            puts("backwards");
            continue;
        }
        if (count < 8)
            spans[count++] = span;
    }
    puts("not-asked");
    return 1;
}
