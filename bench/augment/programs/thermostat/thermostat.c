/* Controls a heater: reads settings ("low 18", "high 22", "hold 3", "night 6 22", "gain 50"), then readings
   ("at HOUR DEGREES"), and prints what the heater does after each of them.  "end" prints a summary. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEGREES 60
#define NIGHT_DROP 4
#define MAX_READINGS 24

enum state { OFF, ON, LOCKED };

struct settings {
    int low, high;
    int hold;
    int night_start, night_end;
    int gain;
};

static struct settings settings = {18, 22, 2, 22, 6, 100};
static int readings[MAX_READINGS];
static int count;
static enum state state = OFF;
static int held, switched, faults;

static int is_night(int hour)
{
    if (settings.night_start < settings.night_end)
        return hour >= settings.night_start && hour < settings.night_end;
    return hour >= settings.night_start || hour < settings.night_end;
}

static int wanted_low(int hour)
{
    int low = settings.low;
    if (is_night(hour))
        low -= NIGHT_DROP;
    return low < 5 ? 5 : low;
}

static int wanted_high(int hour)
{
    int high = settings.high;
    if (is_night(hour))
        high -= NIGHT_DROP;
    return high;
}

static int trend(void)
{
    if (count < 3)
        return 0;
    return (readings[count - 1] - readings[count - 3]) * settings.gain / 100;
}

static int is_fault(int degrees)
{
    if (degrees > MOST_DEGREES || degrees < -40)
        return 1;
    return count > 0 && abs(degrees - readings[count - 1]) > 15;
}

static void change_to(enum state next)
{
    if (next == state)
        return;
    if (held > 0 && next != LOCKED) {
        held--;
        return;
    }
    state = next;
    held = settings.hold;
    switched++;
}

static void read_sensor(int hour, int degrees)
{
    int expected;
    if (is_fault(degrees)) {
        faults++;
        if (faults >= 3)
            change_to(LOCKED);
        return;
    }
    if (count == MAX_READINGS) {
        memmove(readings, readings + 1, sizeof readings - sizeof readings[0]);
        count--;
    }
    readings[count++] = degrees;
    if (state == LOCKED)
        return;
    expected = degrees + trend();
    if (expected < wanted_low(hour))
        change_to(ON);
    else if (expected >= wanted_high(hour))
        change_to(OFF);
    else if (held > 0)
        held--;
}

static void show(int hour)
{
    static const char *const names[] = {"off", "on", "locked"};
    printf("%02d %s\n", hour, names[state]);
}

static int average(void)
{
    int i, sum = 0;
    if (count == 0)
        return 0;
    for (i = 0; i < count; i++)
        sum += readings[i];
    return sum / count;
}

static int set(const char *name, int a, int b)
{
    if (strcmp(name, "low") == 0)
        settings.low = a;
    else if (strcmp(name, "high") == 0)
        settings.high = a > MOST_DEGREES ? MOST_DEGREES : a;
    else if (strcmp(name, "hold") == 0)
        settings.hold = a < 0 ? 0 : a;
    else if (strcmp(name, "gain") == 0)
        settings.gain = a;
    else if (strcmp(name, "night") == 0 && a < 24 && b < 24) {
        settings.night_start = a;
        settings.night_end = b;
    } else
        return 0;
    return settings.low < settings.high;
}

int main(void)
{
    char line[80], name[16];
    int a, b;
    while (fgets(line, sizeof line, stdin)) {
        int found;
        if (!isalpha((unsigned char)line[0]))
            continue;
        b = 0;
        found = sscanf(line, "%15s %d %d", name, &a, &b);
        if (found == 1 && strcmp(name, "end") == 0)
            break;
        if (found == 3 && strcmp(name, "at") == 0) {
            read_sensor(a, b);
            show(a);
        } else if (found < 2 || !set(name, a, b)) {
            printf("bad line: %s", line);
            return 1;
        }
    }
    printf("average %d, switched %d, faults %d\n", average(), switched, faults);
    return state == LOCKED ? 2 : 0;
}
