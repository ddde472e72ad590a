/* Collision avoidance between two aircraft: follows an encounter second by second and says what
   the pilot should do.

   The input is one encounter:  own: altitude rate   other: altitude rate   range closure
   in feet, feet per minute, feet, and feet per second; then lines of events:
     SECOND own RATE | SECOND other RATE     a change of the rate of climb
     SECOND intent climb|descend|none        what the other aircraft has announced
     SECOND blind                            no reply from the other aircraft in this second
   Arguments: [-c] (the other aircraft is equipped, so that both must agree). */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 16
#define MAX_SECONDS 60
#define LAYERS 4
#define FLOOR 1000    /* feet: no descending advisory below it */
#define CEILING 41000 /* feet: no climbing advisory above it */
#define RESPONSE 1500 /* feet per minute that a pilot is told to fly */
#define DELAY 5       /* seconds until a pilot follows */
#define STALE 3       /* seconds after which a track is no longer believed */
#define FAR 999

enum sense { NONE, CLIMB, DESCEND };
enum alert { CLEAR, TRAFFIC, RESOLVE };

struct layer {
    int below;           /* feet of altitude */
    int traffic, resolve; /* seconds to the closest point */
    int near;            /* feet of range that are always too near */
    int separation;      /* feet of altitude that are enough */
};

struct track {
    int altitude; /* feet */
    int rate;     /* feet per minute */
};

struct event {
    int second;
    char what[8];
    int rate;
    enum sense intent;
};

struct advice {
    enum alert alert;
    enum sense sense;
    int is_strong;
};

static const struct layer layers[LAYERS] = {
    {2500, 20, 15, 1200, 300},
    {10000, 30, 20, 2100, 400},
    {20000, 40, 25, 3300, 500},
    {99999, 45, 30, 4800, 700},
};

static struct track own, other;
static int range, closure;
static struct event events[MAX_EVENTS];
static int n_events;
static int is_coordinated;
static enum sense intent;
static int unseen; /* seconds since the last reply */
static int age;    /* seconds that the present sense has been given */
static struct advice advice;
static int advisories, reversals, resolved;
static int least_range = 1 << 20, least_vertical = 1 << 20;

/* --- geometry --------------------------------------------------------------------------------- */

static int distance(int a, int b)
{
    return a > b ? a - b : b - a;
}

static const struct layer *layer_of(int altitude)
{
    int i = 0;
    while (i < LAYERS - 1 && altitude >= layers[i].below)
        i++;
    return &layers[i];
}

/* Seconds until the aircraft are nearest. */
static int time_to_go(const struct layer *layer)
{
    if (range <= layer->near)
        return 0;
    if (closure <= 0)
        return FAR;
    return (range - layer->near) / closure;
}

static int after(int altitude, int rate, int seconds)
{
    return altitude + rate * seconds / 60;
}

/* Feet between them at the nearest point if we flew at this rate once the pilot reacts. */
static int predicted(int rate, int seconds)
{
    int mine = after(own.altitude, own.rate, seconds < DELAY ? seconds : DELAY);
    int theirs = after(other.altitude, other.rate, seconds);
    if (seconds > DELAY)
        mine = after(mine, rate, seconds - DELAY);
    return distance(mine, theirs);
}

/* --- decisions -------------------------------------------------------------------------------- */

static enum alert alert_for(const struct layer *layer, int seconds)
{
    int now = distance(own.altitude, other.altitude);
    int then = predicted(own.rate, seconds);
    if (unseen > STALE)
        return CLEAR;
    if (seconds <= layer->resolve && (then < layer->separation || now < layer->separation))
        return RESOLVE;
    if (seconds <= layer->traffic && (then < 2 * layer->separation || now < 1200))
        return TRAFFIC;
    return CLEAR;
}

static int can_climb(void)
{
    return own.altitude < CEILING;
}

static int can_descend(void)
{
    return own.altitude - RESPONSE * DELAY / 60 > FLOOR;
}

static enum sense opposite(enum sense sense)
{
    if (sense == CLIMB)
        return DESCEND;
    return sense == DESCEND ? CLIMB : NONE;
}

static enum sense better_sense(int seconds)
{
    int up = predicted(RESPONSE, seconds);
    int down = predicted(-RESPONSE, seconds);
    if (!can_descend())
        return can_climb() ? CLIMB : NONE;
    if (!can_climb())
        return DESCEND;
    if (is_coordinated && intent != NONE)
        return opposite(intent);
    if (up == down)
        return own.altitude >= other.altitude ? CLIMB : DESCEND;
    return up > down ? CLIMB : DESCEND;
}

static int needs_reversal(enum sense sense, int seconds, const struct layer *layer)
{
    int kept, turned;
    if (age < DELAY || is_coordinated)
        return 0;
    kept = predicted(sense == CLIMB ? RESPONSE : -RESPONSE, seconds);
    turned = predicted(sense == CLIMB ? -RESPONSE : RESPONSE, seconds);
    return kept < layer->separation / 2 && turned > kept + 100;
}

static struct advice decide(void)
{
    const struct layer *layer = layer_of(own.altitude);
    int seconds = time_to_go(layer);
    struct advice next = {CLEAR, NONE, 0};
    next.alert = alert_for(layer, seconds);
    if (next.alert != RESOLVE)
        return next;
    if (advice.sense != NONE) {
        next.sense = advice.sense;
        if (needs_reversal(advice.sense, seconds, layer)) {
            next.sense = opposite(advice.sense);
            reversals++;
        }
    } else {
        next.sense = better_sense(seconds);
    }
    if (next.sense == DESCEND && !can_descend())
        next.sense = NONE;
    next.is_strong = next.sense != NONE && seconds < layer->resolve / 2 &&
                     distance(own.altitude, other.altitude) < layer->separation;
    return next;
}

/* --- the encounter ---------------------------------------------------------------------------- */

static void apply_events(int second)
{
    int i;
    unseen++;
    for (i = 0; i < n_events; i++) {
        const struct event *event = &events[i];
        if (event->second != second)
            continue;
        if (strcmp(event->what, "own") == 0)
            own.rate = event->rate;
        else if (strcmp(event->what, "other") == 0)
            other.rate = event->rate;
        else if (strcmp(event->what, "intent") == 0)
            intent = event->intent;
        else if (strcmp(event->what, "blind") == 0)
            return;
    }
    unseen = 0;
}

/* The pilot follows an advisory after a while. */
static void follow(void)
{
    int wanted = own.rate;
    if (age >= DELAY && advice.sense == CLIMB)
        wanted = RESPONSE;
    if (age >= DELAY && advice.sense == DESCEND)
        wanted = -RESPONSE;
    if (advice.is_strong && age >= DELAY)
        wanted += wanted / 2;
    own.rate = wanted;
}

static void move(void)
{
    own.altitude = after(own.altitude, own.rate, 1);
    other.altitude = after(other.altitude, other.rate, 1);
    range = distance(range, closure);
    if (range < closure)
        closure = -closure; /* they have passed */
}

static void measure(void)
{
    int vertical = distance(own.altitude, other.altitude);
    if (range < least_range)
        least_range = range;
    if (vertical < least_vertical && range < 3000)
        least_vertical = vertical;
}

static void announce(int second, struct advice next)
{
    static const char *const senses[] = {"level", "climb", "descend"};
    static const char *const alerts[] = {"clear", "traffic", "resolve"};
    if (next.alert == advice.alert && next.sense == advice.sense &&
        next.is_strong == advice.is_strong)
        return;
    printf("%2d s: %s", second, alerts[next.alert]);
    if (next.alert == RESOLVE)
        printf(" %s%s", senses[next.sense], next.is_strong ? "!" : "");
    printf(" (own %d, other %d, range %d)\n", own.altitude, other.altitude, range);
    if (next.alert == RESOLVE && advice.alert != RESOLVE)
        advisories++;
    if (next.alert != RESOLVE && advice.alert == RESOLVE)
        resolved++;
}

static void encounter(int seconds)
{
    int second;
    for (second = 0; second < seconds; second++) {
        struct advice next;
        apply_events(second);
        next = decide();
        announce(second, next);
        age = next.sense == advice.sense ? age + 1 : 0;
        advice = next;
        assert(advice.sense != DESCEND || own.altitude > FLOOR);
        assert(advice.sense != CLIMB || own.altitude < CEILING);
        follow();
        move();
        measure();
    }
}

/* --- input ------------------------------------------------------------------------------------ */

static int read_event(void)
{
    struct event *event = &events[n_events];
    char word[16] = "";
    if (scanf("%d %7s", &event->second, event->what) != 2)
        return 0;
    if (strcmp(event->what, "intent") == 0) {
        if (scanf("%15s", word) != 1)
            return 0;
        event->intent = strcmp(word, "climb") == 0     ? CLIMB
                        : strcmp(word, "descend") == 0 ? DESCEND
                                                       : NONE;
    } else if (strcmp(event->what, "blind") != 0) {
        if (scanf("%d", &event->rate) != 1)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int i, seconds = 30;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-c") == 0)
            is_coordinated = 1;
        else
            seconds = atoi(argv[i]);
    }
    if (seconds > MAX_SECONDS || scanf("%d %d %d %d %d %d", &own.altitude, &own.rate,
                                       &other.altitude, &other.rate, &range, &closure) != 6) {
        printf("bad encounter\n");
        return 2;
    }
    while (n_events < MAX_EVENTS && read_event())
        n_events++;
    encounter(seconds);
    assert(reversals == 0 || !is_coordinated);
    assert(resolved <= advisories);
    printf("nearest: %d feet, %d feet of altitude\n", least_range,
           least_vertical == 1 << 20 ? -1 : least_vertical);
    printf("%d advisories, %d reversals, %d resolved\n", advisories, reversals, resolved);
    return 0;
}
