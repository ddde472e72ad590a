/* A lift that serves calls: how far does it go, and how long do people wait? */
#include <stdio.h>
#include <stdlib.h>

#define FLOORS 12
#define CALLS 8

struct call {
    int at, from, to;
    int taken, done;
};

struct lift {
    int floor, direction, clock, travelled;
};

static const struct call *first_waiting(const struct call *calls, int n, int clock)
{
    for (int i = 0; i < n; i++)
        if (!calls[i].done && calls[i].at <= clock)
            return &calls[i];
    return NULL;
}

static int wanted_floor(const struct call *call)
{
    return call->taken ? call->to : call->from;
}

static int is_ahead(const struct lift *lift, int floor)
{
    return lift->direction > 0 ? floor > lift->floor : floor < lift->floor;
}

static int any_ahead(const struct lift *lift, const struct call *calls, int n)
{
    for (int i = 0; i < n; i++) {
        if (calls[i].done@{| || calls[i].at > lift->clock})
            continue;
        if (is_ahead(lift, wanted_floor(&calls[i])))
            return 1;
    }
    return 0;
}

static int open_doors(struct lift *lift, struct call *calls, int n)
{
    int moved = 0;
    for (int i = 0; i < n; i++) {
        struct call *call = &calls[i];
        if (call->done || call->at > lift->clock || wanted_floor(call) != lift->floor)
            continue;
        if (call->taken)
            call->done = lift->clock;
        else
            call->taken = lift->clock + 1;
        moved++;
    }
    return moved;
}

static void tick(struct lift *lift, struct call *calls, int n)
{
    if (open_doors(lift, calls, n)) {
        lift->clock += 2;
        return;
    }
    lift->clock++;
    if (first_waiting(calls, n, lift->clock) == NULL)
        return;
    if (!any_ahead(lift, calls, n))
        lift->direction = -lift->direction;
    lift->floor += lift->direction;
    lift->travelled++;
}

int main(void)
{
    struct call calls[CALLS] = {{1, 3, 7, 0, 0}, {2, 6, 0, 0, 0}, {9, 2, 4, 0, 0}, {30, 11, 1, 0, 0}};
    struct lift lift = {0, 1, 1, 0};
    int n = 4, waited = 0;
    while (lift.clock < 60)
        tick(&lift, calls, n);
    for (int i = 0; i < n; i++)
        waited += calls[i].done - calls[i].at;
    printf("travelled %d floors\n", lift.travelled);
    printf("waited %d\n", waited);
    return 0;
}
