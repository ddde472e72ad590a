/* A journal of messages in a ring of fixed size, with a summary for each source. */
#include <stdio.h>
#include <string.h>

#define RING 8
#define SOURCES 4
#define NAME 12

enum level { INFO, WARNING, ERROR };

struct message {
    char source[NAME];
    enum level level;
    int seconds;
};

struct ring {
    struct message slots[RING];
    int first, used, dropped;
};

struct summary {
    char source[NAME];
    int count[3];
    int last, longest;
};

static void put(struct ring *ring, const char *source, enum level level, int seconds)
{
    int at = (ring->first + ring->used) % RING;
    if (ring->used == RING) {
        ring->first = (ring->first + 1) % RING;
        ring->dropped++;
    } else {
        ring->used++;
    }
    struct message *slot = &ring->slots[at];
    snprintf(slot->source, NAME, "%s", source);
    slot->level = level;
    slot->seconds = seconds;
}

static const struct message *get(const struct ring *ring, int number)
{
    return &ring->slots[(ring->first + number) % RING];
}

static struct summary *of_source(struct summary *all, int *used, const char *source)
{
    for (int i = 0; i < *used; i++)
        if (strcmp(all[i].source, source) == 0)
            return &all[i];
    struct summary *made = &all[(*used)++];
    memset(made, 0, sizeof *made);
    snprintf(made->source, NAME, "%s", source);
    made->last = -1;
    return made;
}

static int summarise(const struct ring *ring, struct summary *all)
{
    int used = 0;
    for (int i = 0; i < ring->used; i++) {
        const struct message *message = get(ring, i);
        struct summary *own = of_source(all, &used, message->source);
        own->count[message->level]++;
        if (own->last >= 0 && message->seconds - own->last > own->longest)
            own->longest = message->seconds - own->last;
        @{|own->last = message->seconds;}
    }
    return used;
}

static int urgency(const struct summary *own)
{
    int points = own->count[ERROR] * 10 + own->count[WARNING] * 3;
    if (own->longest > 60)
        points += own->longest / 60;
    return points;
}

int main(void)
{
    struct ring ring = {0};
    put(&ring, "disk", INFO, 5);
    put(&ring, "net", WARNING, 12);
    put(&ring, "disk", ERROR, 20);
    put(&ring, "fan", INFO, 31);
    put(&ring, "net", INFO, 44);
    put(&ring, "disk", WARNING, 130);
    put(&ring, "net", ERROR, 170);
    put(&ring, "fan", WARNING, 200);
    put(&ring, "disk", INFO, 340);
    put(&ring, "net", INFO, 350);

    struct summary all[SOURCES];
    int sources = summarise(&ring, all), total = 0;
    for (int i = 0; i < sources; i++)
        total += urgency(&all[i]);
    printf("%d sources, %d dropped\n", sources, ring.dropped);
    printf("urgency %d\n", total);
    return 0;
}
