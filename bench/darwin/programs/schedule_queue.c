/* Another scheduler: a queue of jobs that is kept in order, the next job first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTUM = 3, LIMIT = 8, SPACE = 10, BOOST = 5 };

struct entry {
    char name;
    int number, priority, left, arrival, waiting;
};

static struct entry queue[SPACE];
static int length;

static int goes_before(const struct entry *a, const struct entry *b, int now)
{
    int here = a->arrival <= now, there = b->arrival <= now;
    int first, second;
    if (here != there)
        return here;
    first = a->priority + (a->waiting >= LIMIT ? BOOST : 0);
    second = b->priority + (b->waiting >= LIMIT ? BOOST : 0);
    if (first != second)
        return first > second;
    return a->number < b->number;
}

static void sort(int now)
{
    int i, j;
    for (i = 1; i < length; i++) {
        struct entry moving = queue[i];
        for (j = i; j > 0 && goes_before(&moving, &queue[j - 1], now); j--)
            queue[j] = queue[j - 1];
        queue[j] = moving;
    }
}

static void drop_first(void)
{
    int i;
    for (i = 1; i < length; i++)
        queue[i - 1] = queue[i];
    length--;
}

static int digits(char **text, int *number)
{
    char *start;
    while (**text == ' ')
        (*text)++;
    start = *text;
    *number = 0;
    while (**text >= '0' && **text <= '9') {
        *number = *number * 10 + **text - '0';
        (*text)++;
    }
    return *text != start;
}

static int parse(char *line, struct entry *entry)
{
    char *at = line + 1;
    if (line[0] < 'A' || line[0] > 'Z')
        return 0;
    entry->name = line[0];
    entry->waiting = 0;
    entry->arrival = 0;
    if (!digits(&at, &entry->priority) || entry->priority > 9)
        return 0;
    if (!digits(&at, &entry->left) || entry->left == 0)
        return 0;
    if (*at == ' ')
        return digits(&at, &entry->arrival);
    return 1;
}

static void wait_all(int now, int time)
{
    int i;
    for (i = 1; i < length; i++)
        if (queue[i].arrival <= now)
            queue[i].waiting += time;
}

static int simulate(void)
{
    int now = 0;
    while (length > 0) {
        int time;
        sort(now);
        if (queue[0].arrival > now) {
            now++;
            continue;
        }
        time = queue[0].left;
        if (time > QUANTUM)
            time = QUANTUM;
        printf("%d %c %d\n", now, queue[0].name, time);
        queue[0].left -= time;
        queue[0].waiting = 0;
        wait_all(now, time);
        now += time;
        if (queue[0].left == 0)
            drop_first();
    }
    return now;
}

int main(void)
{
    char line[40];
    int bad = 0, end;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (line[0] == '\n' || line[0] == '#')
            continue;
        if (length == SPACE || !parse(line, &queue[length])) {
            bad++;
            continue;
        }
        queue[length].number = length;
        length++;
    }
    end = simulate();
    printf("end %d, bad lines %d\n", end, bad);
    return 0;
}
