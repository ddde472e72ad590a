/* Print what a logger recorded.  frames < FILE
 *
 * A file is frames: 0xA5, kind, length, payload, sum.  The sum is that of kind, length and payload,
 * modulo 256.  Numbers are big-endian.
 *
 *   1  clock        seconds since the start (4 bytes)
 *   2  reading      sensor (1), tenths of a degree (2, signed)
 *   3  event        code (1), text
 *   4  limits       sensor (1), low (2, signed), high (2, signed)
 *   5  end          number of frames before it (1)
 */
#include <stdio.h>
#include <string.h>

#define MARK 0xA5
#define MAX_FILE 4096
#define SENSORS 8
#define PATIENCE 3
#define WARM_UP 60

enum { CLOCK = 1, READING, EVENT, LIMITS, END };

struct sensor {
    int has_limits, low, high;
    int count, sum, largest;
    int above; /* readings in a row above the high limit */
    int alarms;
};

struct log {
    struct sensor sensors[SENSORS];
    long now;
    int has_clock;
    int frames, events, hidden;
    int ended;
};

static unsigned char data[MAX_FILE];
static int size;

static int complain(int at, const char *what)
{
    printf("byte %d: %s\n", at, what);
    return 0;
}

static int sum_of(const unsigned char *at, int count)
{
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum += at[k];
    return sum & 255;
}

static int word(const unsigned char *at)
{
    int value = at[0] << 8 | at[1];
    return value >= 0x8000 ? value - 0x10000 : value;
}

static long number(const unsigned char *at)
{
    long value = 0;
    for (int k = 0; k < 4; k++)
        value = value << 8 | at[k];
    return value;
}

static void print_tenths(int tenths)
{
    if (tenths < 0) {
        putchar('-');
        tenths = -tenths;
    }
    printf("%d.%d", tenths / 10, tenths % 10);
}

static void print_time(long seconds)
{
    printf("%02ld:%02ld:%02ld", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

static int read_clock(struct log *log, const unsigned char *at, int length, int place)
{
    long now;

    if (length != 4)
        return complain(place, "a clock has four bytes");
    now = number(at);
    if (log->has_clock && now < log->now)
        return complain(place, "the clock went back");
    log->now = now;
    log->has_clock = 1;
    return 1;
}

static int read_limits(struct log *log, const unsigned char *at, int length, int place)
{
    struct sensor *sensor;
    int low, high;

    if (length != 5)
        return complain(place, "limits have five bytes");
    if (at[0] >= SENSORS)
        return complain(place, "no such sensor");
    sensor = &log->sensors[at[0]];
    low = word(at + 1);
    high = word(at + 3);
    if (low > high)
        return complain(place, "the limits are in the wrong order");
    sensor->low = low;
    sensor->high = high;
    sensor->has_limits = 1;
    sensor->above = 0;
    return 1;
}

static void check(struct log *log, int number, int value)
{
    struct sensor *sensor = &log->sensors[number];

    if (!sensor->has_limits)
        return;
    if (value < sensor->low) {
        printf("sensor %d is low: ", number);
        print_tenths(value);
        putchar('\n');
    }
    if (value <= sensor->high) {
        sensor->above = 0;
        return;
    }
    sensor->above++;
    if (sensor->above == PATIENCE) {
        sensor->alarms++;
        printf("alarm of sensor %d at ", number);
        print_time(log->now);
        putchar('\n');
    }
}

static int read_reading(struct log *log, const unsigned char *at, int length, int place)
{
    struct sensor *sensor;
    int value;

    if (length != 3)
        return complain(place, "a reading has three bytes");
    if (at[0] >= SENSORS)
        return complain(place, "no such sensor");
    if (!log->has_clock)
        return complain(place, "a reading before the clock");
    sensor = &log->sensors[at[0]];
    value = word(at + 1);
    if (sensor->count == 0 || value > sensor->largest)
        sensor->largest = value;
    sensor->count++;
    sensor->sum += value;
    check(log, at[0], value);
    return 1;
}

static int read_event(struct log *log, const unsigned char *at, int length, int place)
{
    if (length == 0)
        return complain(place, "an event without a code");
    log->events++;
    if (log->now < WARM_UP && at[0] < 100) {
        log->hidden++;
        return 1;
    }
    printf("event %d: ", at[0]);
    for (int k = 1; k < length; k++)
        putchar(at[k] < 32 || at[k] > 126 ? '.' : at[k]);
    putchar('\n');
    return 1;
}

static int read_end(struct log *log, const unsigned char *at, int length, int place)
{
    if (length != 1)
        return complain(place, "an end has one byte");
    if (at[0] != log->frames)
        return complain(place, "frames are missing");
    log->ended = 1;
    return 1;
}

static int read_frame(struct log *log, int place, int *next)
{
    const unsigned char *frame = data + place;
    int length, good;

    if (frame[0] != MARK)
        return complain(place, "no frame begins here");
    if (place + 4 > size)
        return complain(place, "the frame is cut off");
    length = frame[2];
    if (place + 4 + length > size)
        return complain(place, "the frame is cut off");
    if (sum_of(frame + 1, length + 2) != frame[3 + length])
        return complain(place, "the sum is wrong");
    switch (frame[1]) {
    case CLOCK:
        good = read_clock(log, frame + 3, length, place);
        break;
    case READING:
        good = read_reading(log, frame + 3, length, place);
        break;
    case EVENT:
        good = read_event(log, frame + 3, length, place);
        break;
    case LIMITS:
        good = read_limits(log, frame + 3, length, place);
        break;
    case END:
        good = read_end(log, frame + 3, length, place);
        break;
    default:
        good = complain(place, "a frame of an unknown kind");
    }
    log->frames++;
    *next = place + 4 + length;
    return good;
}

static void report(const struct log *log)
{
    for (int k = 0; k < SENSORS; k++) {
        const struct sensor *sensor = &log->sensors[k];
        if (sensor->count == 0)
            continue;
        printf("sensor %d: %d readings, mean ", k, sensor->count);
        print_tenths(sensor->sum / sensor->count);
        printf(", largest ");
        print_tenths(sensor->largest);
        if (sensor->alarms)
            printf(", %d alarms", sensor->alarms);
        putchar('\n');
    }
    printf("%d frames, %d events (%d hidden)\n", log->frames, log->events, log->hidden);
}

int main(void)
{
    struct log log;
    int place = 0;

    memset(&log, 0, sizeof log);
    size = (int)fread(data, 1, MAX_FILE, stdin);
    while (place < size && !log.ended)
        if (!read_frame(&log, place, &place))
            return 1;
    if (!log.ended) {
        complain(place, "there is no end");
        return 1;
    }
    report(&log);
    return 0;
}
