/* Which rooms are free?  Bookings are sorted, merged, and gaps between them are listed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN 480 /* minutes after midnight */
#define CLOSED 1080
#define MAX_BOOKINGS 16

struct booking {
    char room[8];
    int start, end;
};

static struct booking bookings[MAX_BOOKINGS];
static int n_bookings;

static int minutes(const char *text)
{
    int hours = 0, rest = 0;
    while (*text >= '0' && *text <= '9')
        hours = hours * 10 + (*text++ - '0');
    if (*text == ':') {
        text++;
        while (*text >= '0' && *text <= '9')
            rest = rest * 10 + (*text++ - '0');
    }
    return hours * 60 + rest;
}

static void add(const char *room, const char *from, const char *to)
{
    struct booking *made = &bookings[n_bookings++];
    strncpy(made->room, room, sizeof made->room - 1);
    made->start = minutes(from);
    made->end = minutes(to);
}

static int by_start(const void *one, const void *other)
{
    const struct booking *a = one, *b = other;
    int order = strcmp(a->room, b->room);
    return order ? order : a->start - b->start;
}

/* Join bookings of one room that touch or overlap. */
static int merge(void)
{
    int kept = 0;
    for (int i = 1; i < n_bookings; i++) {
        struct booking *last = &bookings[kept], *next = &bookings[i];
        if (strcmp(last->room, next->room) == 0 && next->start <= last->end) {
            @{last->end = next->end;|if (next->end > last->end)
                last->end = next->end;}
        } else {
            bookings[++kept] = *next;
        }
    }
    return kept + 1;
}

static int free_minutes(const char *room, int count)
{
    int at = OPEN, sum = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(bookings[i].room, room) != 0)
            continue;
        if (bookings[i].start > at)
            sum += bookings[i].start - at;
        at = bookings[i].end;
    }
    if (at < CLOSED)
        sum += CLOSED - at;
    return sum;
}

static void report(const char *room, int count)
{
    int left = free_minutes(room, count);
    int hours = left / 60;
    int rest = left % 60;
    printf("%s: %d h %02d min free\n", room, hours, rest);
}

int main(void)
{
    add("blue", "9:00", "10:30");
    add("red", "8:30", "9:00");
    add("blue", "13:00", "17:00");
    add("blue", "14:00", "15:15");
    add("red", "11:00", "12:45");
    add("blue", "10:30", "11:00");
    qsort(bookings, (size_t)n_bookings, sizeof *bookings, by_start);
    int count = merge();
    report("blue", count);
    report("red", count);
    return 0;
}
