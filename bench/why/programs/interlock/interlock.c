/* Decides whether a lift may move, and where to; a line of numbers is one moment. */
#include <stdio.h>
#include <stdlib.h>

#define MAX_LOAD 800
#define SLOW_LOAD 600
#define TOP_FLOOR 9
#define DOOR_TIME 3

enum motion { STAY, UP, DOWN, SLOW_UP, SLOW_DOWN, ALARM };

struct lift {
    int floor;
    int target;
    int load;
    int door_open;
    int door_time;
    int fire;
    int service;
    int last;
};

static int door_is_shut(const struct lift *lift)
{
    return !lift->door_open && lift->door_time >= DOOR_TIME;
}

static int is_overloaded(const struct lift *lift)
{
    return lift->load > MAX_LOAD;
}

static int wants_up(const struct lift *lift)
{
    return lift->target > lift->floor && lift->floor < TOP_FLOOR;
}

static int wants_down(const struct lift *lift)
{
    return lift->target < lift->floor && lift->floor > 0;
}

static int may_move(const struct lift *lift)
{
    int is_ready = door_is_shut(lift) && !is_overloaded(lift);
    int is_allowed = !lift->fire || lift->floor > 0;

    return is_ready && is_allowed && (!lift->service || lift->load == 0);
}

static int must_be_slow(const struct lift *lift)
{
    int is_heavy = lift->load > SLOW_LOAD;
    int is_near = abs(lift->target - lift->floor) <= 1;

    return is_heavy || (is_near && lift->last != STAY);
}

static enum motion decide(struct lift *lift)
{
    enum motion motion = STAY;
    int up = wants_up(lift);
    int down = wants_down(lift);

    if (lift->fire) {
        up = 0;
        down = lift->floor > 0;
    }
    if (is_overloaded(lift) && lift->last != STAY)
        return ALARM;
    if (may_move(lift)) {
        if (up && !down)
            motion = must_be_slow(lift) ? SLOW_UP : UP;
        else if (down && !up)
            motion = must_be_slow(lift) ? SLOW_DOWN : DOWN;
    }
    return motion;
}

static void step(struct lift *lift, enum motion motion)
{
    if (motion == UP || motion == SLOW_UP)
        lift->floor++;
    else if (motion == DOWN || motion == SLOW_DOWN)
        lift->floor--;
    if (lift->door_open)
        lift->door_time = 0;
    else
        lift->door_time++;
    lift->last = motion;
}

int main(void)
{
    static const char *const names[] = {"stay", "up", "down", "slowly up", "slowly down", "alarm"};
    struct lift lift = {0};
    int moved = 0;
    char what;
    int value;

    while (scanf(" %c%d", &what, &value) == 2) {
        switch (what) {
        case 't':
            lift.target = value;
            break;
        case 'l':
            lift.load = value;
            break;
        case 'd':
            lift.door_open = value;
            break;
        case 'f':
            lift.fire = value;
            break;
        case 's':
            lift.service = value;
            break;
        default:
            break;
        }
        while (what == 'w' && value-- > 0) {
            enum motion motion = decide(&lift);
            step(&lift, motion);
            moved += motion != STAY;
            printf("%d %s\n", lift.floor, names[motion]);
        }
    }
    printf("moved %d\n", moved);
    return 0;
}
