/* Which way should a ship turn?  Arguments: own speed, other speed, distance, bearing, type of the other ship,
   visibility (0 or 1), whether the other ship answered. */
#include <stdio.h>
#include <stdlib.h>

enum kind { SAIL, MOTOR, FISHING, TOWING };
static int limits[4] = { 200, 300, 500, 800 };
static int own_speed, other_speed, distance, bearing, clear, answered;
static enum kind kind;

static int limit(void) { return limits[kind]; }
static int closing(void) { return own_speed + other_speed; }
static int is_near(void) { return distance < limit() + (clear ? 0 : 100); }
static int from_right(void) { return bearing > 5 && bearing < 112; }
static int overtaken(void) { return bearing >= 112 && bearing <= 248; }

static int must_yield(void) {
    if (overtaken())
        return 0;
    if (kind == FISHING || kind == TOWING)
        return 1;
    return from_right();
}

int main(int argc, char **argv) {
    int turn = 0;
    if (argc < 8) {
        printf("usage: advisory OWN OTHER DISTANCE BEARING KIND CLEAR ANSWERED\n");
        return 2;
    }
    own_speed = atoi(argv[1]);
    other_speed = atoi(argv[2]);
    distance = atoi(argv[3]);
    bearing = atoi(argv[4]);
    if (atoi(argv[5]) < 0 || atoi(argv[5]) > 3) {
        printf("no such kind\n");
        return 2;
    }
    kind = atoi(argv[5]);
    clear = atoi(argv[6]);
    answered = atoi(argv[7]);
    int urgent = closing() > 40 || !clear;
    if (is_near() && (urgent || !answered)) {
        if (must_yield())
            turn = 1;
        else if (!answered && distance < limit() / 2)
            turn = 2;
    }
    printf("%s\n", turn == 0 ? "hold" : turn == 1 ? "starboard" : "stop");
    return 0;
}
