/* Says whether an aircraft should climb, descend or stay level, from twelve numbers:
   own altitude, own rate, other altitude, other rate, range, closing speed, sensitivity,
   replies valid (0 or 1), other equipped (0 or 1), announced intent (0 none, 1 climb, 2 descend),
   radar altitude, alert in progress (0 or 1). */

#include <stdio.h>
#include <stdlib.h>

#define MAX_RATE 600
#define NEAR_GROUND 900
#define HIGHEST 39000
#define RESPONSE 1500

enum sense { LEVEL, CLIMB, DESCEND };

struct limits {
    int seconds;
    int vertical;
    int range;
};

static const struct limits table[] = {
    {15, 300, 1200}, {20, 350, 1800}, {25, 400, 2400}, {30, 600, 3600},
};

static int own_altitude, own_rate, other_altitude, other_rate;
static int range, closing, sensitivity;
static int valid, equipped, intent, radar, in_progress;

static int distance(int a, int b)
{
    return a > b ? a - b : b - a;
}

static const struct limits *limits_now(void)
{
    int row = sensitivity;
    if (row < 0)
        row = 0;
    if (row > 3)
        row = 3;
    return &table[row];
}

static int seconds_left(const struct limits *now)
{
    if (range <= now->range)
        return 0;
    if (closing <= 0)
        return 9999;
    return (range - now->range) / closing;
}

static int is_enabled(void)
{
    return valid && distance(own_rate, 0) <= 10 * MAX_RATE && radar > NEAR_GROUND / 2;
}

static int is_threat(const struct limits *now)
{
    int left = seconds_left(now);
    int apart = distance(own_altitude, other_altitude);
    int later = distance(own_altitude + own_rate * left / 60, other_altitude + other_rate * left / 60);
    if (left > now->seconds)
        return 0;
    return apart < now->vertical || later < now->vertical;
}

static int can_climb(void)
{
    return own_altitude + RESPONSE / 4 < HIGHEST;
}

static int can_descend(void)
{
    return radar >= NEAR_GROUND + RESPONSE / 10;
}

static int predicted(int rate, int left)
{
    int mine = own_altitude + rate * left / 60;
    int theirs = other_altitude + other_rate * left / 60;
    return distance(mine, theirs);
}

static enum sense best_sense(const struct limits *now)
{
    int left = seconds_left(now);
    int up = predicted(RESPONSE, left);
    int down = predicted(-RESPONSE, left);
    int bias = in_progress ? 100 : 0;
    if (equipped && intent == 1)
        return can_descend() ? DESCEND : LEVEL;
    if (equipped && intent == 2)
        return can_climb() ? CLIMB : LEVEL;
    if (!can_descend())
        return can_climb() ? CLIMB : LEVEL;
    if (!can_climb())
        return DESCEND;
    if (up + bias >= down)
        return CLIMB;
    return DESCEND;
}

static int is_strong(enum sense sense, const struct limits *now)
{
    int apart = distance(own_altitude, other_altitude);
    if (sense == LEVEL)
        return 0;
    if (sense == CLIMB && own_rate > RESPONSE)
        return 0;
    if (sense == DESCEND && own_rate < -RESPONSE)
        return 0;
    return apart < now->vertical / 2 && seconds_left(now) < now->seconds / 2;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"level", "climb", "descend"};
    const struct limits *now;
    enum sense sense = LEVEL;
    if (argc != 13) {
        fprintf(stderr, "twelve numbers are needed\n");
        return 2;
    }
    own_altitude = atoi(argv[1]);
    own_rate = atoi(argv[2]);
    other_altitude = atoi(argv[3]);
    other_rate = atoi(argv[4]);
    range = atoi(argv[5]);
    closing = atoi(argv[6]);
    sensitivity = atoi(argv[7]);
    valid = atoi(argv[8]);
    equipped = atoi(argv[9]);
    intent = atoi(argv[10]);
    radar = atoi(argv[11]);
    in_progress = atoi(argv[12]);
    now = limits_now();
    if (is_enabled() && is_threat(now))
        sense = best_sense(now);
    printf("%s%s\n", names[sense], is_strong(sense, now) ? ", now" : "");
    return sense == LEVEL ? 0 : 1;
}
